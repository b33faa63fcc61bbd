"""Where a wrong value's line gets a wrong number from: a name that it reads, or a default in a signature."""

import ast
import math
from collections.abc import Sequence

from grader.judge.trail.looking import Look
from grader.judge.trail.noted.links import plain
from grader.judge.trail.noted.note import Note
from grader.judge.trail.noted.numbers import same_in_place, same_numbers
from grader.judge.trail.noted.scope import Scope
from grader.judge.trail.rerun import Call
from grader.judge.trail.text.idle import idle_lines, open_lines
from grader.judge.trail.text.parsing import of_source, tree_of
from grader.judge.trail.text.statements import constructor_around, function_around, read_for, reads_by_line
from grader.judge.trail.text.tables import table_line

MANY = 40
"""Sizes of which not every ratio is looked at."""


def cause_of(
    look: Look,
    factor: float | None,
    solution: Scope,
    own: Scope,
    inputs: Sequence[Note],
    calls: Sequence[Call],
) -> Look:
    """Where to look instead of at a line whose value is wrong (`factor` times right): at a number that it
    reads and the solution does not have, or has by this name with other values; or at a default that is not
    the solution's. Else at the line itself.
    """
    reads = reads_by_line(own.source).get(look.line, set())
    fed = read_for(own.source, look.line)
    known = _known(solution, inputs, calls)
    for name, value, bound in reversed(_numbers(own)):
        if name not in fed or bound == look.line:
            continue
        is_off = factor is not None and name in reads and _is_off_by(value, factor, solution)
        if is_off or (name in reads and not _is_among(value, known)) or _is_anothers(name, value, solution):
            look = Look(bound, onward=not is_off)
            break
    else:
        line = table_line(reads, solution.source, own.source)
        line = line or _constant_line(look.line, reads, solution, own, inputs)
        if line is not None:
            look = Look(line, onward=True)
    function = function_around(own.source, look.line)
    made = constructor_around(own.source, look.line)
    for name, signature in _other_defaults(solution.source, own.source):
        is_near = function_around(own.source, signature) == function or signature in made
        if (is_near or name in {read.removeprefix("self.") for read in reads}) and not _is_given(name, calls):
            return Look(signature)
    return look


def rather_idle(look: Look, source: str) -> Look:
    """Where an answer does nothing with what it computes, in the function around the line rather than in
    another one; or left a place open, in that function and where it is not sure which line it is. Else the
    line itself.
    """
    function = function_around(source, look.line)
    idle = sorted(idle_lines(source), key=lambda line: function_around(source, line) != function)
    left_open = [line for line in open_lines(source) if function_around(source, line) == function]
    found = [*idle, *(left_open if look.onward else [])]
    return Look(found[0]) if found else look


def _constant_line(
    line: int, reads: set[str], solution: Scope, own: Scope, inputs: Sequence[Note]
) -> int | None:
    """Where a name that the line reads, and that the solution has too, got values that are found anywhere (a
    mask, one number everywhere, what was given), and that it never has in the solution.
    """
    for name in reversed(own.names):
        note = own.notes[name.note]
        if plain(name.name) not in reads or name.line >= line or note.values is None:
            continue
        if note.is_evidence and not any(same_numbers(note, given) for given in inputs):
            continue
        theirs = [solution.notes[other.note] for other in solution.names if other.name == name.name]
        if theirs and not any(same_in_place(note, other) for other in theirs):
            return name.line
    return None


def _numbers(scope: Scope) -> list[tuple[str, float, int]]:
    """The plain numbers, and what holds a single one: name, value, line."""
    single = [
        (plain(name.name), float(note.values[0]), name.line)
        for name in scope.names
        if (note := scope.notes[name.note]).values is not None and len(note.values) == 1
    ]
    return [*scope.scalars, *single]


def _is_anothers(name: str, value: float, solution: Scope) -> bool:
    """Whether the solution has this name, and for other numbers only."""
    theirs = [number for other, number, _ in _numbers(solution) if other == name]
    return bool(theirs) and not _is_among(value, theirs)


def _known(solution: Scope, inputs: Sequence[Note], calls: Sequence[Call]) -> list[float]:
    """Numbers that are right: the solution's, those that were given, sizes, and what is made of sizes."""
    sizes = {n for note in (*solution.notes, *inputs) for n in note.shape}
    for call in calls:
        for value in (*call.request.get("args", ()), *call.request.get("kwargs", {}).values()):
            if type(value) in (int, float):
                sizes.add(value)
    known = [value for _, value, _ in _numbers(solution)] + [0.0, 1.0, 2.0]
    for size in sizes:
        known.append(size)
        if size > 0:
            known += [1 / size, math.sqrt(size), 1 / math.sqrt(size)]
    if len(sizes) < MANY:
        known += [a / b for a in sizes for b in sizes if b] + [a * b for a in sizes for b in sizes]
    return known


def _is_off_by(value: float, factor: float, solution: Scope) -> bool:
    """Whether the solution has a number that this one is wrong by just that factor of."""
    numbers = [number for _, number, _ in solution.scalars if not number.is_integer()]
    return not value.is_integer() and _is_among(
        value, [number * factor for number in numbers] + [number / factor for number in numbers]
    )


def _is_among(value: float, known: Sequence[float]) -> bool:
    return any(math.isclose(value, other, rel_tol=1e-9) for other in known)


def _other_defaults(solution: str, own: str) -> list[tuple[str, int]]:
    """Parameters whose default is another number than the solution's, and the line that says so."""
    right = {key: value for key, value, _ in _defaults(solution)}
    return [
        (key[-1], line)
        for key, value, line in _defaults(own)
        if key in right and type(right[key]) in (int, float) and right[key] != value
    ]


@of_source
def _defaults(source: str) -> list[tuple[tuple[str, ...], object, int]]:
    found: list[tuple[tuple[str, ...], object, int]] = []
    body: list[tuple[str, ast.stmt]] = [("", node) for node in tree_of(source).body]
    body += [(c.name, node) for _, c in body if isinstance(c, ast.ClassDef) for node in c.body]
    for owner, node in body:
        if isinstance(node, ast.FunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args]
            values = node.args.defaults
            pairs = [*zip(arguments[len(arguments) - len(values) :], values, strict=True)]
            pairs += [(a, v) for a, v in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if v]
            found += [
                ((owner, node.name, argument.arg), value.value, value.lineno)
                for argument, value in pairs
                if isinstance(value, ast.Constant)
            ]
    return found


def _is_given(name: str, calls: Sequence[Call]) -> bool:
    """Whether a call says what the parameter is."""
    return any(name in call.request.get("kwargs", {}) for call in calls)
