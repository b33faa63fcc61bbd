"""Which known mistake a failing submission makes: the one that gives the same values in the checks that
failed.

It never guesses. Finite values that differ from the expected ones and agree with the mistake's are strong
evidence: nothing else gives them. Evidence without such values (NaN everywhere, a count, an exception) counts
only when the mistake fails exactly the checks that the submission fails.
"""

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader.judge.client import Program, Worker
from grader.judge.suite import Group, Run, Suite
from grader.judge.verdict import Diagnosis, Outcome
from grader.kit.handles import Instance
from grader.kit.mistakes import Mistake
from grader.kit.outcomes import Stopped

SECONDS = 8.0
"""Time for the whole search."""
CHECK_SECONDS = 2.0
"""Time for one check of one mistake: those that never end are not named."""
PAIRS = 100
"""Pairs of mistakes that are tried, at most."""

_DIAGNOSED = (Outcome.FAILED, Outcome.ERROR)


def diagnose(suite: Suite, runs: dict[str, Run], reference: Program, worker: Worker) -> Diagnosis | None:
    """The mistake in the reference whose values are those of `runs` (by check name), None when none
    matches.
    """
    latest = time.monotonic() + SECONDS
    solution = reference.text
    failed = [group for group in suite.groups if runs[group.name].check.outcome in _DIAGNOSED]
    if not failed:
        return None
    for candidates in (_singles(suite.mistakes, solution), _pairs(suite.mistakes, solution)):
        found = [
            (len(surplus), mistakes)
            for mistakes, text in candidates
            if time.monotonic() < latest
            and _loads(worker, replace(reference, text=text), latest)
            and (surplus := _agreement(suite, runs, failed, worker, latest)) is not None
        ]
        if found:
            _, mistakes = min(found, key=lambda entry: entry[0])
            return Diagnosis(" + ".join(m.id for m in mistakes), "\n\n".join(m.says for m in mistakes))
    return None


def _singles(mistakes: list[Mistake], solution: str) -> Iterator[tuple[tuple[Mistake, ...], str]]:
    return (((mistake,), mistake.applied(solution)) for mistake in mistakes)


def _pairs(mistakes: list[Mistake], solution: str) -> Iterator[tuple[tuple[Mistake, ...], str]]:
    for first, second in itertools.islice(itertools.combinations(mistakes, 2), PAIRS):
        try:
            yield (first, second), second.applied(first.applied(solution))
        except ValueError:
            continue  # both change the same place


def _agreement(
    suite: Suite, runs: dict[str, Run], failed: list[Group], worker: Worker, latest: float
) -> list[Group] | None:
    """The checks that only the mistaken version (in the worker) fails, None when the submission is not that
    version.
    """
    strong = False
    for group in failed:
        theirs, own = suite.run(group, worker, CHECK_SECONDS, latest), runs[group.name]
        if not _same_evidence(own, theirs):
            return None
        strong = strong or _is_strong(own)
    names = {group.name for group in failed}
    others = [g for g in suite.groups if g.name not in names and runs[g.name].check.outcome is Outcome.PASSED]
    surplus = [
        g for g in others if suite.run(g, worker, CHECK_SECONDS, latest).check.outcome is not Outcome.PASSED
    ]
    return surplus if strong or not surplus else None


def _loads(worker: Worker, program: Program, latest: float) -> bool:
    """Whether the mistaken version, now the worker's program, can be loaded at all."""
    worker.deadline = latest
    try:
        return not worker.load(program).get("problems")
    except Stopped:
        return False


def _same_evidence(own: Run, theirs: Run) -> bool:
    if own.check.outcome is not theirs.check.outcome or len(own.records) != len(theirs.records):
        return False
    if _exception(own) != _exception(theirs):
        return False
    return all(_agree(a.came, b.came, a.expected) for a, b in zip(own.records, theirs.records, strict=True))


def _exception(run: Run) -> tuple[list[str], str] | None:
    return (run.raised.types, run.raised.message) if run.raised is not None else None


def _is_strong(run: Run) -> bool:
    return any(_has_wrong_values(record.came, record.expected) for record in run.records)


def _agree(own: Any, theirs: Any, expected: Any) -> bool:
    """Two values that came are the same, up to rounding that is far smaller than what separates them from the
    expected value."""
    if isinstance(own, Instance) or isinstance(theirs, Instance):
        return type(own) is type(theirs) and own.type_name == theirs.type_name
    if isinstance(own, tuple | list) and isinstance(theirs, tuple | list):
        if len(own) != len(theirs):
            return False
        parts = (
            expected
            if isinstance(expected, tuple | list) and len(expected) == len(own)
            else [None] * len(own)
        )
        return all(_agree(a, b, e) for a, b, e in zip(own, theirs, parts, strict=True))
    if isinstance(own, dict) and isinstance(theirs, dict):
        wanted = expected if isinstance(expected, dict) else {}
        return own.keys() == theirs.keys() and all(_agree(own[k], theirs[k], wanted.get(k)) for k in own)
    one, other = _numbers(own), _numbers(theirs)
    if one is None or other is None:
        return type(own) is type(theirs) and bool(own == theirs)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return _close(one, other, _numbers(expected))


def _close(one: Tensor, other: Tensor, expected: Tensor | None) -> bool:
    if not one.dtype.is_floating_point:
        return torch.equal(one, other)
    rounding = float(torch.finfo(one.dtype).eps) * 64
    one, other = one.double(), other.double()
    if not torch.equal(one.isfinite(), other.isfinite()) or not torch.equal(one.isnan(), other.isnan()):
        return False
    mask = one.isfinite()
    if not torch.equal(one[~mask].nan_to_num(), other[~mask].nan_to_num()):
        return False
    if not mask.any():
        return True
    largest = float(one[mask].abs().max())
    allowed = max(rounding, 1e-7) * max(largest, 1e-3)
    if expected is not None and expected.shape == one.shape:
        apart = (one[mask] - expected.double()[mask]).abs().nan_to_num(posinf=0.0)
        if float(apart.max()) > 0:
            allowed = (
                min(allowed, 0.02 * float(apart.max())) if float(apart.max()) > 1e-9 * largest else allowed
            )
    return float((one[mask] - other[mask]).abs().max()) <= allowed


def _has_wrong_values(came: Any, expected: Any) -> bool:
    if isinstance(came, tuple | list) and isinstance(expected, tuple | list):
        return any(_has_wrong_values(a, b) for a, b in zip(came, expected, strict=False))
    if isinstance(came, dict) and isinstance(expected, dict):
        return any(_has_wrong_values(came[k], expected[k]) for k in came.keys() & expected.keys())
    if not isinstance(came, Tensor | np.ndarray):
        return False
    one, wanted = _numbers(came), _numbers(expected)
    if one is None or not bool(one.double().isfinite().any()):
        return False
    if wanted is None or one.shape != wanted.shape:
        return one.numel() > 1
    one, wanted = one.double(), wanted.double()
    apart = (one - wanted).abs()[one.isfinite() & wanted.isfinite()]
    return (
        int(
            (
                apart > 1e-9 * max(float(wanted[wanted.isfinite()].abs().max() if apart.numel() else 0), 1e-9)
            ).sum()
        )
        > 1
    )


def _numbers(value: Any) -> Tensor | None:
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, np.ndarray | np.generic):
        return torch.from_numpy(np.asarray(value))
    if isinstance(value, float):
        return torch.tensor(value, dtype=torch.float64)
    return None
