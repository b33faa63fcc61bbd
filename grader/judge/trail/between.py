"""What an answer has of the solution between the last value of a trail and the line to look at, where the
numbers alone would prove nothing: masks, positions, constants.
"""

from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.notes import Name
from grader.judge.trail.noted.numbers import same_in_place
from grader.judge.trail.noted.scope import Scope
from grader.judge.trail.text.statements import function_around
from grader.judge.verdict import Found


def plain_between(last: int, look: int, proving: set[int], solution: Scope, own: Scope) -> list[Found]:
    """The values that lines of one function give names to after `last` and before `look`, as long as the
    solution has each of them too: under a name of its own, and with the same numbers in the same places.
    `proving` are the solution's values whose numbers prove something by themselves.
    """
    function = function_around(own.source, look)
    if not last < look or function_around(own.source, last) != function:
        return []
    theirs = [(name.name, solution.notes[name.note]) for name in solution.names if name.note not in proving]
    found: dict[int, Found] = {}
    for name in _bound_between(last, look, own):
        if function_around(own.source, name.line) != function:
            return []  # these lines run another one
        note = own.notes[name.note]
        alike = [called for called, other in theirs if _is(note, other)]
        if not alike:
            break
        called = name.name if name.name in alike else alike[0]
        found.setdefault(name.line, Found(called, name.line))
    return list(found.values())


def _bound_between(last: int, look: int, own: Scope) -> list[Name]:
    return sorted((name for name in own.names if last < name.line < look), key=lambda name: name.line)


def _is(note: Note, other: Note) -> bool:
    if note.values is None or other.values is None or len(note.values) < 2:
        return False
    return note.kind == other.kind and note.shape == other.shape and same_in_place(note, other)
