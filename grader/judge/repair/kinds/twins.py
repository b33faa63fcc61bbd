"""Changes after what is much alike in another line or branch: what was changed there, and not here."""

import ast
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from grader.judge.repair.change import LONGEST, USUAL, Change, exchanged, in_one_line, named
from grader.judge.repair.scope import Function
from grader.judge.slips.slip import COPIED
from grader.judge.slips.source_text import Edit, SourceText

ALIKE, SAME = 0.6, 0.9
"""Of the letters of two lines."""
MOST_OTHERS = 4
"""Places in which two lines differ that are alike."""
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)
_WITHOUT_FORM = (ast.expr, ast.expr_context)
_BOUND = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)
"""What needs parentheses in the place of something else."""


def twins(text: SourceText, function: Function) -> Iterator[Change]:
    """What stands in another line at that place, or in all places in which they differ."""
    here = list(_simple(function.node))
    for node in here:
        for other in _simple(function.owner or function.node):
            if other is node or _likeness(node, other) < ALIKE:
                continue
            differing = list(_differences(_value(node), _value(other)))
            if len(differing) > MOST_OTHERS:
                continue
            edits = [_instead(text, mine, theirs, mine is _value(node)) for mine, theirs in differing]
            for (mine, _), edit in zip(differing, edits, strict=True):
                yield exchanged(text, mine, [edit], USUAL, COPIED)
            if len(edits) > 1:
                yield exchanged(text, _value(node), edits, USUAL, COPIED)


def branches(text: SourceText, function: Function) -> Iterator[Change]:
    """A line that only one of two branches has."""
    for node in ast.walk(function.node):
        for one, two in _pairs(node):
            for here, there in ((one, two), (two, one)):
                for place, statement in enumerate(here):
                    if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr):
                        for beside in _places(here, place, there):
                            yield _copied(text, statement, there[beside])


def _places(here: Sequence[ast.stmt], place: int, there: Sequence[ast.stmt]) -> list[int]:
    """Where what stands in one branch may be missing in the other: as far from the beginning, as far from the
    end, and behind what is like the line before it; nowhere if it is there.
    """
    if any(_likeness(here[place], other) >= SAME for other in there):
        return []
    places = {place, len(there) - (len(here) - place)}
    if place > 0:
        likeness = [_likeness(here[place - 1], other) for other in there]
        places.add(likeness.index(max(likeness)) + 1)
    return sorted(places & {*range(len(there))})


def _pairs(node: ast.AST) -> Iterator[tuple[Sequence[ast.stmt], Sequence[ast.stmt]]]:
    """Both branches of a condition: the second may be what follows, if the first returns."""
    body = getattr(node, "body", None)
    for place, each in enumerate(body if isinstance(body, list) else ()):
        if isinstance(each, ast.If):
            others = each.orelse
            if not others and isinstance(each.body[-1], ast.Return):
                others = node.body[place + 1 :]  # type: ignore[attr-defined]
            if others and not isinstance(others[0], ast.If):
                yield each.body, others


def _copied(text: SourceText, statement: ast.stmt, there: ast.stmt) -> Change:
    code = in_one_line(text.of(statement))
    what = f"`{code}`" if len(code) <= LONGEST else f"what line {statement.lineno} does"
    says = f"{what[0].upper()}{what[1:]} is not done here. With it, all checks pass."
    margin = f"\n{' ' * there.col_offset}"
    start = text.start(there)
    lines = text.of(statement).replace(f"\n{' ' * statement.col_offset}", margin)
    made = named("no", code)
    return Change(there.lineno, made, says, COPIED, [(start, start, f"{lines}{margin}")], USUAL)


def _simple(within: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.walk(within):
        if isinstance(node, _SIMPLE) and node.value is not None and not isinstance(node.value, ast.Constant):
            yield node


def _value(node: ast.stmt) -> ast.expr:
    return node.value  # type: ignore[attr-defined, no-any-return]


def _likeness(one: ast.stmt, other: ast.stmt) -> float:
    """How much of the letters they share; 0 where that is too little to be looked at."""
    matcher = SequenceMatcher(None, ast.unparse(one), ast.unparse(other), autojunk=False)
    is_alike = matcher.real_quick_ratio() >= ALIKE and matcher.quick_ratio() >= ALIKE
    return matcher.ratio() if is_alike else 0.0


def _differences(one: ast.expr, other: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The smallest parts in which two expressions differ."""
    if ast.dump(one) == ast.dump(other):
        return
    mine, theirs = _parts(one), _parts(other)
    if _form(one) == _form(other) and len(mine) == len(theirs):
        for each, its in zip(mine, theirs, strict=True):
            yield from _differences(each, its)
    else:
        yield one, other


def _parts(node: ast.expr) -> list[ast.expr]:
    """What it is made of."""
    parts: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            parts.append(child)
        elif isinstance(child, ast.keyword):
            parts.append(child.value)
        elif isinstance(child, ast.comprehension):
            parts += [child.target, child.iter, *child.ifs]
    return parts


def _form(node: ast.expr) -> list[object]:
    """All of it but its parts."""
    own = [getattr(node, field) for field in node._fields]
    told = [each for each in own if isinstance(each, str | int | float | complex | bytes | None)]
    others = [child for child in ast.iter_child_nodes(node) if not isinstance(child, _WITHOUT_FORM)]
    return [type(node), told, [(type(child), getattr(child, "arg", None)) for child in others]]


def _instead(text: SourceText, mine: ast.expr, theirs: ast.expr, is_whole: bool) -> Edit:
    code = text.of(theirs)
    return text.edit(mine, f"({code})" if isinstance(theirs, _BOUND) and not is_whole else code)
