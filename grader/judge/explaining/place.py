"""Where in an answer a named mistake is to be seen."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from grader.judge.diagnosis.memory import Memory
from grader.judge.explaining.traces import Traces, changes, recall_traces, remember_traces, traces_of
from grader.judge.trail.calls import places_that_count, scope_up_to
from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.scope import Scope
from grader.judge.trail.path import LAYOUT, exact_matches
from grader.judge.trail.rerun import Rerun
from grader.judge.trail.text.statements import definitions, name_around
from grader.judge.trail.trail import CHECKS, Followed, reruns
from grader.judge.workers.client import Program, Worker
from grader.kit.mistakes import MisplacedMistake, Mistake

REACHES = ("line", "before", "after")
"""Of a place, the best known first: what is wrong is in that line; or in one that leads to it; or it may as
well be in a line after it."""


@dataclass(frozen=True)
class Place:
    """A line of an answer, and in what reach of it something is wrong."""

    line: int
    reach: str = "line"


def place_of(
    mistake: Mistake,
    explained: Collection[str],
    followed: Followed,
    worker: Callable[[Program], Worker],
    memory: Memory,
) -> Place | None:
    """Where the answer makes what the mistaken line makes: a wrong value, or one that is right (and its
    gradient is wrong, say); or the first value that comes out wrong by it; or else where the function begins
    that the mistake is in. `explained` are the checks in which it shows.
    """
    answer, solution = followed.programs
    try:
        version = replace(solution, text=mistake.applied(solution.text))
    except MisplacedMistake:  # it belongs to a set of which another one changes the same line
        return None
    checks = [check for check in followed.checks if check.name in explained][:CHECKS]
    known = {check.name: recall_traces(memory, mistake.id, check, followed.case(check)) for check in checks}
    if missing := [check for check in checks if known[check.name] is None]:
        with worker(version) as running:
            again = reruns(missing, followed.case, running)
        for check in missing:
            if check.name in again:
                found = traces_of(followed.right[check.name], again[check.name], solution, version)
                remember_traces(memory, mistake.id, check, followed.case(check), found)
                known[check.name] = found
        memory.save()
    for check in checks:
        traces, right, own = known[check.name], followed.right[check.name], followed.own[check.name]
        place = _place(traces, right, own, answer) if traces is not None else None
        if place is not None:
            return place
    line = _beginning(solution, version, answer)
    return None if line is None else Place(line, "after")


def _place(traces: Traces, right: Rerun, own: Rerun, answer: Program) -> Place | None:
    """Where the answer makes one of them."""
    if traces.call >= len(own.calls):
        return None
    scope = scope_up_to(own, traces.call, places_that_count(right, traces.call), answer.text)
    if scope is None:
        return None
    for notes, reach in ((traces.wrong, "line"), (traces.later, "before")):
        for note in notes:
            if (match := next(_made_in_lines(note, scope), None)) is not None:
                return Place(match, reach)
    for note in traces.right:
        if note.made_by in LAYOUT:  # the same numbers in another tensor: one without a gradient, say
            made = (n.line for n in exact_matches(note, scope) if n.line and n.made_by == note.made_by)
            if (match := next(made, None)) is not None:
                return Place(match)
    for note in traces.right:
        if (match := next(_made_in_lines(note, scope), None)) is not None:
            return Place(match, "after")
    return None


def _made_in_lines(note: Note, scope: Scope) -> Iterator[int]:
    """The lines that make its numbers."""
    return (other.line for other in exact_matches(note, scope) if other.line)


def _beginning(solution: Program, version: Program, answer: Program) -> int | None:
    """The line where the answer's function begins, or its class, that the mistake is in in the solution."""
    own = definitions(answer.text)
    asked = [name for name in answer.required if name in own]
    for begin, end in changes(solution.text, version.text)[0]:
        name = name_around(solution.text, begin if begin < end else begin - 1)
        while name and name not in own:
            name = name.rpartition(".")[0]
        if name:
            return own[name].start
    return own[asked[0]].start if len(asked) == 1 else None
