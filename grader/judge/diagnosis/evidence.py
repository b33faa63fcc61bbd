"""Whether two answers did the same in a check: the values that came are compared, not the words about
them.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader.judge.checks.running import Run
from grader.kit.comparison import allowance
from grader.kit.handles import Instance
from grader.kit.recording import Record

CLOSER = 0.02
"""Wrong values agree when they are this much closer to each other than to the expected ones."""


def same_evidence(own: Run, theirs: Run) -> bool:
    """Whether two runs of a check came to the same end with the same values, of which there must be some."""
    if own.check.outcome is not theirs.check.outcome or _exception(own) != _exception(theirs):
        return False
    if len(own.records) != len(theirs.records) or not (own.records or _exception(own)):
        return False
    return all(_same_record(a, b) for a, b in zip(own.records, theirs.records, strict=True))


def is_strong(run: Run) -> bool:
    """Whether the values are such that nothing but the same computation gives them: finite, and wrong."""
    return any(
        _is_wrong(came, expected, record)
        for record in run.records
        for came, expected in zip(*_paired(record), strict=True)
    )


def _exception(run: Run) -> tuple[list[str], list[str]] | None:
    """What ended a run: the submission's exception, or that of the check over what came. Words in any order:
    a sum of two tensors of other sizes may be written either way round.
    """
    if run.raised is not None:
        return run.raised.types, sorted(run.raised.message.split())
    return (
        ([type(run.stumble).__name__], sorted(str(run.stumble).split())) if run.stumble is not None else None
    )


def _same_record(own: Record, theirs: Record) -> bool:
    values, expected = _paired(own)
    others = _leaves(theirs.came)
    return len(values) == len(others) and all(
        _same_leaf(*leaves, own) for leaves in zip(values, others, expected, strict=True)
    )


def _allowed(values: Tensor, record: Record) -> float:
    """How far apart the values of one computation may be: by rounding, or by what the check lets pass (tables
    in float32, say)."""
    if record.absolute is not None:
        return max(allowance(values), record.absolute)
    return max(allowance(values), allowance(values, record.tolerance))


def _paired(record: Record) -> tuple[list[Any], list[Any]]:
    """What came, flat, and beside each what was expected (None where the two are built differently)."""
    came, expected = _leaves(record.came), _leaves(record.expected)
    return came, expected if len(came) == len(expected) else [None] * len(came)


def _leaves(value: Any) -> list[Any]:
    """A tuple, list or dict of values, flat; the keys of a dict are values too."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value, key=str) for leaf in (key, *_leaves(value[key]))]
    if isinstance(value, tuple | list):
        return [type(value).__name__, *(leaf for item in value for leaf in _leaves(item))]
    return [value]


def _same_leaf(own: Any, theirs: Any, expected: Any, record: Record) -> bool:
    one, other = _numbers(own), _numbers(theirs)
    if one is None or other is None:
        if isinstance(own, Instance) and isinstance(theirs, Instance):
            return own.type_name == theirs.type_name
        return type(own) is type(theirs) and bool(own == theirs)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not one.is_floating_point():
        return torch.equal(one, other)
    finite = one.isfinite()
    if not torch.equal(finite, other.isfinite()):
        return False
    if not torch.equal(one[~finite].nan_to_num(), other[~finite].nan_to_num()):
        return False
    gap = _largest(one[finite] - other[finite])
    apart = _apart(one, expected)
    allowed = _allowed(one, record)
    return gap <= allowed and (apart <= allowed or gap <= CLOSER * apart)


def _is_wrong(came: Any, expected: Any, record: Record) -> bool:
    one, wanted = _numbers(came), _numbers(expected)
    if one is None or one.numel() < 2 or not bool(one.isfinite().any()):
        return False
    if wanted is None or wanted.shape != one.shape or not one.is_floating_point():
        return not (wanted is not None and wanted.shape == one.shape and torch.equal(one, wanted))
    return _apart(one, expected) > _allowed(wanted, record)


def _apart(one: Tensor, expected: Any) -> float:
    """How far finite values are from the expected ones; infinite when these are of another shape."""
    wanted = _numbers(expected)
    if wanted is None or wanted.shape != one.shape:
        return float("inf")
    both = one.isfinite() & wanted.isfinite()
    return _largest(one[both].double() - wanted[both].double())


def _largest(values: Tensor) -> float:
    return float(values.abs().max()) if values.numel() else 0.0


def _numbers(value: Any) -> Tensor | None:
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, np.ndarray | np.generic):
        return torch.from_numpy(np.asarray(value))
    if isinstance(value, float):
        return torch.tensor(value, dtype=torch.float64)
    return None
