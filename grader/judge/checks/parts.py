"""Which parts of a file are right on their own: one of two functions, say, while the other is not written.

A part is a name that the topic asks for. It is right only if every case of every check that may call it has
passed; a part of which nothing is certain is left out.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.checks.running import Run, run_check
from grader.judge.pace import paced
from grader.judge.workers.client import Worker

RIGHT, WRONG, NOT_STARTED = "right", "wrong", "not_started"
SECONDS = 1.0
"""Time for those cases that were left out before."""
_ROOMS = ("grader.topics.", "grader.kit.")
"""Modules whose functions call parts."""


def standing_of_parts(
    names: Collection[str],
    checks: Sequence[CheckFunction],
    runs: Mapping[str, Run],
    worker: Worker,
    latest: float,
) -> dict[str, str]:
    """How each of the parts `names` stands (RIGHT, WRONG or NOT_STARTED), as far as that is certain; nothing
    where there is but one.

    A check ends with the first case that does not pass. Those behind it that call nothing but parts which
    may still be right are run now, not after `latest` (monotonic).
    """
    if len(names) < 2:
        return {}
    parts = {
        (check.name, case.seed): may_call(check, case, names) for check in checks for case in check.cases
    }
    standing: dict[str, str] = {}
    for check in checks:
        run = runs[check.name]
        standing |= {name: NOT_STARTED for name in run.gaps.values() if name in names}
        if run.broken is not None and len(blamed := parts[check.name, run.broken]) == 1:
            standing = {next(iter(blamed)): WRONG, **standing}
    right = set().union(*parts.values())
    for check in checks:
        right -= _called(parts[check.name, seed] for seed in _ended(runs[check.name]))
    left = {check.name: check.cases[runs[check.name].cases :] for check in checks}
    behind = [parts[name, case.seed] for name, cases in left.items() for case in cases]
    while beyond := {name for called in behind if not called <= right for name in called & right}:
        right -= beyond
    seconds = paced(SECONDS)
    latest = min(latest, time.monotonic() + seconds)
    for check in checks:
        cases = tuple(case for case in left[check.name] if parts[check.name, case.seed] & right)
        if cases:
            run = run_check(replace(check, cases=cases), worker, seconds, latest)
            unsure = [*_ended(run), *(case.seed for case in cases[run.cases :])]
            right -= _called(parts[check.name, seed] for seed in unsure)
    return {name: RIGHT for name in names if name in right} | standing


def may_call(check: CheckFunction, case: Case, names: Collection[str]) -> set[str]:
    """The parts that a case of a check may call, rather too many than too few: those that are named in its
    function, in what that calls, and in the case's parameters.
    """
    own, given = _all_words(check.function), set(_strings(case.parameters))
    found = {name for name in names if name in own or name in given}
    return set(names) if not found and ("getattr" in own or "getattr" in given) else found


def _ended(run: Run) -> list[str]:
    """The seeds of the cases that did not pass."""
    return [*run.gaps, *([] if run.broken is None else [run.broken])]


def _called(parts: Iterable[set[str]]) -> set[str]:
    return set().union(*parts)


@lru_cache(maxsize=4096)
def _all_words(function: FunctionType) -> frozenset[str]:
    """Those that are the same for every answer."""
    return frozenset(_words(function, set()))


def _words(function: FunctionType, seen: set[FunctionType]) -> Iterator[str]:
    """All names and texts in a function and in the functions of check files and kit that it uses."""
    seen.add(function)
    own = list(_of_code(function.__code__))
    yield from own
    for name in own:
        used = function.__globals__.get(name)
        if isinstance(used, FunctionType) and used not in seen and used.__module__.startswith(_ROOMS):
            yield from _words(used, seen)


def _of_code(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *_strings(code.co_consts))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _of_code(constant)


def _strings(value: Any) -> Iterator[str]:
    """The texts in a value, and the names in functions."""
    match value:
        case str():
            yield value
        case FunctionType():
            yield from _all_words(value)
        case dict():
            for item in (*value.keys(), *value.values()):
                yield from _strings(item)
        case list() | tuple() | set() | frozenset():
            for item in value:
                yield from _strings(item)
