"""The trail of a wrong answer as text: how far it is right, and where to look."""

import math
from collections.abc import Iterable

from grader.judge.verdict import Found, Trail, Verdict
from grader.worker.tracing import RESULT

MAX_NAMES = 8
"""Names that are listed: the last ones, when there are more."""
REACHES = {"line": "", "before": " and what leads to it", "after": " and those after it"}
"""What there is to look at beside a line, by a diagnosis' `reach`."""


def where_text(verdict: Verdict) -> str:
    """The trail, or where its mistake is to be seen; empty where neither is known."""
    if verdict.trail is not None:
        return trail_text(verdict.trail)
    named = verdict.diagnosis
    return f"Look at line {named.look}{REACHES[named.reach]}." if named is not None and named.look else ""


def trail_text(trail: Trail) -> str:
    """One short paragraph; facts only."""
    exact = [found for found in trail.found if found.factor is None]
    multiples = [found for found in trail.found if found.factor is not None]
    is_again = any(found.name == trail.missing for found in exact)
    is_within = bool(exact) and not is_again and exact[-1].line == trail.line
    sentences = []
    if exact:
        names = list(dict.fromkeys(_called(found.name) for found in exact))
        are = "is" if len(names) == 1 else "are"
        there = f"{_listed(names)} {are} there."
        up = "into" if is_within else "to"
        # What comes later in the file than the line to look at does not make all before it right.
        is_behind = exact[-1].line > trail.line
        sentences.append(
            _capitalized(there) if is_behind else f"Right up {up} line {exact[-1].line}: {there}"
        )
    if multiples:
        sentences.append(_in_one_sentence([_multiple(found) for found in multiples]))
    name = _called(trail.missing)
    if is_again:
        name = f"the next {name}"
    rest, onward = "the rest of " * is_within, " and those after it" * trail.onward
    look = f"look at {rest}line {trail.line}{onward}."
    if trail.in_another_order:
        sentences.append(_capitalized(f"{name} has its numbers in another order: {look}"))
    elif multiples and multiples[-1].name == trail.missing:
        sentences.append(_capitalized(look))
    else:
        sentences.append(_capitalized(f"{name} never appears: {look}"))
    return " ".join(sentences)


def factor_text(factor: float) -> str:
    """A factor with four digits, and as a simple expression of a whole number where it is one."""
    size, sign = abs(factor), "-" if factor < 0 else ""
    for expression, number in (
        ("{}", size),
        ("1/{}", 1 / size),
        ("sqrt({})", size**2),
        ("1/sqrt({})", 1 / size**2),
    ):
        whole = round(number)
        if 0 < whole < 10_000 and math.isclose(number, whole, rel_tol=1e-6):
            text = sign + expression.format(whole)
            return text if text == f"{factor:.4g}" else f"{factor:.4g} = {text}"
    return f"{factor:.4g}"


def _multiple(found: Found) -> str:
    assert found.factor is not None
    return f"line {found.line} has {factor_text(found.factor)} times {_called(found.name)}"


def _called(name: str) -> str:
    """A name as it is said: `exp` in softmax, `softmax(…)`, the result."""
    if name == RESULT:
        return "the result"
    if name.startswith(f"{RESULT}["):
        return f"item {name[len(RESULT) + 1 : -1]} of the result"
    function, _, own = name.rpartition(": ")
    own = own.replace("()", "(…)")
    return f"`{own}` in {function}" if function else f"`{own}`"


def _listed(names: list[str]) -> str:
    shown = names[-MAX_NAMES:]
    if len(names) > MAX_NAMES:
        shown = [f"{len(names) - MAX_NAMES} values", *shown]
    return _joined(shown)


def _in_one_sentence(facts: Iterable[str]) -> str:
    return _capitalized(f"{_joined(list(facts))}.")


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capitalized(text: str) -> str:
    return text[0].upper() + text[1:]
