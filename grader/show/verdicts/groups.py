"""Checks that came to the same end, so that this is said once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.judge.verdict import Check, Outcome

_CASE = re.compile(r"\Awith \w+=.*?: ")
_SECONDS = re.compile(r"\d+(\.\d+)? s:")


@dataclass(frozen=True)
class Group:
    """The first of some checks, and the others that came to the same end."""

    first: Check
    others: tuple[Check, ...] = ()

    @property
    def repetition(self) -> str:
        """What to say of the others; empty where there are none."""
        count = len(self.others)
        if not count:
            return ""
        checks = f"in {count} more check{'s' * (count != 1)}"
        is_same = all(_fact(other) == _fact(self.first) for other in self.others)
        return f"the same {checks}" if is_same else f"the same line {checks}"


def grouped(checks: Sequence[Check]) -> list[Group]:
    """The checks in groups: with one kind of error at one line, or one message. In the order of their first
    ones. A wrong value is a matter of its check alone.
    """
    groups: dict[tuple[str, ...], list[Check]] = {}
    for check in checks:
        groups.setdefault(_end(check), []).append(check)
    return [Group(first, tuple(others)) for first, *others in groups.values()]


def line_of(message: str) -> int | None:
    """The line of the submission that a message is about: the innermost one that it quotes."""
    quoted = re.findall(r"^ +line (\d+)[,:]", message, re.MULTILINE)
    named = re.search(r", line (\d+)\.$", message.partition("\n")[0])
    number = quoted[-1] if quoted else named[1] if named else None
    return None if number is None else int(number)


def _end(check: Check) -> tuple[str, ...]:
    fact, line = _fact(check), line_of(check.message)
    if check.outcome is Outcome.FAILED:
        return (check.name,)
    if line is None:
        return check.outcome, fact
    kind = fact.partition(":")[0] if check.outcome is Outcome.ERROR else ""
    return check.outcome, kind, str(line)


def _fact(check: Check) -> str:
    """The message without the case that it is about; how long it took is no fact."""
    if check.outcome is Outcome.TIMEOUT:
        return _SECONDS.sub("", _CASE.sub("", check.message))
    return _CASE.sub("", check.message)
