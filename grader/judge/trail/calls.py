"""Which requests of a case count, and the notes that were taken in them."""

from collections.abc import Sequence
from typing import Any

from grader.judge.trail.noted.links import linked
from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.notes import Name
from grader.judge.trail.noted.scope import Scope
from grader.judge.trail.rerun import Call, Rerun
from grader.kit.comparison import difference
from grader.worker import wire


def first_difference(right: Sequence[Call], own: Sequence[Call]) -> int | None:
    """The place of the first call whose value is not the solution's."""
    for place, (theirs, mine) in enumerate(zip(right, own, strict=False)):
        do = theirs.request["do"]
        if do != mine.request["do"]:
            return None
        if do == "load_parameters" or (do in ("parameters", "shapes") and place + 1 < len(own)):
            # Their first values are drawn, and then replaced.
            if _shapes(theirs.value) != _shapes(mine.value):
                return None
        elif not _is_object(theirs.value) and difference(mine.value, theirs.value) is not None:
            return place
    return None


def _shapes(parameters: Any) -> dict[str, tuple[int, ...]] | None:
    """By name, of tensors or as they are."""
    if not isinstance(parameters, dict):
        return None
    return {name: tuple(getattr(value, "shape", value) or ()) for name, value in parameters.items()}


def places_that_count(right: Rerun, last: int) -> set[int]:
    """The calls whose notes count: the one whose value is wrong, those that made objects, and those from
    which the solution still uses something. All of them where it is only in what they leave behind that
    something is wrong.
    """
    calls = right.calls[: last + 1]
    if calls[last].request["do"] not in ("call", "run"):
        return set(range(last + 1))
    is_torch = any(note.made_by for note in right.notes.notes)
    # NumPy's objects draw their weights by generators that cannot be followed; a check replaces them.
    places = {p for p, call in enumerate(calls) if p == last or (is_torch and _is_object(call.value))}
    ends = [mark.notes for mark in right.notes.marks]
    mark = calls[last].mark
    if mark is None or mark >= len(ends):
        return places
    everything = Scope(right.notes.notes, (), ())
    begin = ends[mark - 1] if mark else 0
    used = set().union(*(everything.sources(number) for number in range(begin, ends[mark])), set())
    for place, call in enumerate(calls):
        if call.mark is not None and any(
            (ends[call.mark - 1] if call.mark else 0) <= number < ends[call.mark] for number in used
        ):
            places.add(place)
    return places


def scope_up_to(again: Rerun, last: int, places: set[int], source: str) -> Scope | None:
    """The notes up to a call, and those of the calls that count; None where some are missing."""
    marks = again.notes.marks
    made: list[Note] = []
    names: list[Name] = []
    start = named = 0
    for place, call in enumerate(again.calls[: last + 1]):
        if call.mark is None:
            continue
        if call.mark >= len(marks) or not marks[call.mark].complete:
            return None
        mark = marks[call.mark]
        if place in places:
            made += again.notes.notes[start : mark.notes]
            names += again.notes.names[named : mark.names]
        start, named = mark.notes, mark.names
    notes = linked(again.notes.notes[:start], names, source)
    return Scope(notes, tuple(notes[n.number] for n in made), tuple(names), again.notes.scalars, source)


def _is_object(value: Any) -> bool:
    """Whether a call has made something that stays in the worker, or gave nothing."""
    return value is None or isinstance(value, wire.Ref)
