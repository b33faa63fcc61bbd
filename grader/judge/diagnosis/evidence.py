"""What two answers did in a check, and whether it is the same: the values that came are compared, not the
words about them.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader.judge.checks.beyond import CaseToItsEnd
from grader.judge.checks.running import Run
from grader.judge.verdict import Outcome
from grader.kit.comparison import allowance
from grader.kit.handles import Instance
from grader.kit.outcomes import CheckFailed, Misused, Raised
from grader.kit.recording import Record

CLOSER = 0.02
"""Wrong values agree when they are this much closer to each other than to the expected ones."""
NOISE = 10.0
"""What is rounding may be so much larger in another spelling."""
MAX_NUMBERS = 2048
"""Of a larger tensor so many numbers are compared, evenly spread."""

WORD = re.compile(r"[^\W\d_]{3,}")

Ending = tuple[list[str], list[str]]
"""An exception: the names of its types, and its words in any order, because a sum of two tensors of other
sizes may be written either way round.
"""


@dataclass(frozen=True)
class Evidence:
    """What a version of the solution gave in a check: how it came out, after how many cases, what came in the
    last of them, and the exception that ended it. What came stands as flat lists of plain values.
    """

    outcome: Outcome
    cases: int = 0
    came: tuple[list[Any], ...] = ()
    exception: Ending | None = None

    @property
    def is_lasting(self) -> bool:
        """Whether it is the same on the next day: what takes too long today may not tomorrow."""
        return self.outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.ERROR)


@dataclass(frozen=True)
class CaseEvidence:
    """What a version gave in one case that was run to its end: in place of each value that is right, None."""

    came: tuple[list[Any] | None, ...]
    exception: Ending | None = None


@dataclass(frozen=True)
class EvidenceToTheEnd:
    """What a version gave in all cases of a check; in none at all where it takes too long."""

    cases: tuple[CaseEvidence, ...]

    @property
    def is_lasting(self) -> bool:
        """Whether it is the same on the next day."""
        return bool(self.cases)


class Relation(Enum):
    """What a mistaken version does in a check that the submission fails."""

    AGREES = "it comes to the same end with the same values"
    PASSES = "it passes"
    LATER = "it fails too, but the submission does not get that far"
    OTHERWISE = "it fails before that, or with other values"


def evidence_of(run: Run) -> Evidence:
    """The evidence of a run."""
    came = tuple(_leaves(record.came) for record in run.records)
    return Evidence(run.check.outcome, run.cases, came, _ending(run.raised or run.stumble))


def evidence_to_the_end_of(cases: tuple[CaseToItsEnd, ...]) -> EvidenceToTheEnd:
    """The evidence of a check that was run to its end."""
    return EvidenceToTheEnd(
        tuple(
            CaseEvidence(
                tuple(None if record.holds else _leaves(record.came) for record in case.records),
                _ending(case.error),
            )
            for case in cases
        )
    )


def is_same_to_the_end(own: tuple[CaseToItsEnd, ...], theirs: EvidenceToTheEnd) -> bool:
    """Whether both went wrong in the same places of a check, with the same values."""
    return len(own) == len(theirs.cases) and all(map(_is_same_case, own, theirs.cases))


def _is_same_case(own: CaseToItsEnd, theirs: CaseEvidence) -> bool:
    return (
        _ending(own.error) == theirs.exception
        and len(own.records) == len(theirs.came)
        and all(
            record.holds if came is None else not record.holds and _same_record(record, came)
            for record, came in zip(own.records, theirs.came, strict=True)
        )
    )


def relation(own: Run, theirs: Evidence) -> Relation:
    """How the evidence of a mistaken version stands to the run of a submission that fails."""
    if theirs.outcome is Outcome.PASSED:
        return Relation.PASSES
    if (theirs.cases, len(theirs.came)) > (own.cases, len(own.records)):
        return Relation.LATER
    return Relation.AGREES if _is_same(own, theirs) else Relation.OTHERWISE


def has_same_end(own: Run, theirs: Evidence) -> bool:
    """Whether both came equally far, and ended in the same way."""
    return (
        own.check.outcome is theirs.outcome
        and _ending(own.raised or own.stumble) == theirs.exception
        and (own.cases, len(own.records)) == (theirs.cases, len(theirs.came))
    )


def differs_by_rounding(own: Run, theirs: Evidence, nudged: Evidence) -> bool:
    """Of two that came to the same end: whether values that differ are noise. With inputs a rounding off (as
    in `nudged`) the version's move as far as they are from the submission's, and those from the right ones.
    """
    return len(nudged.came) == len(theirs.came) and all(
        _same_record(record, came) or _is_noise(record, came, moved)
        for record, came, moved in zip(own.records, theirs.came, nudged.came, strict=True)
    )


def size_of(run: Run) -> int:
    """How many numbers and other values the last case gave."""
    leaves = [leaf for record in run.records for leaf in _leaves(record.came)]
    return sum(leaf.numel() if isinstance(leaf, Tensor) else 1 for leaf in leaves)


def ends_in_own_words(run: Run, written: str) -> bool:
    """Whether the submission ended it with an exception of its own making, in words that do not stand in
    `written`: no version with that text comes to the same end.
    """
    if run.raised is None or not run.raised.frames:
        return False
    line = run.raised.frames[-1][2].strip()
    own = set(WORD.findall(run.raised.message)) & set(WORD.findall(line))
    return line.startswith("raise ") and any(word not in written for word in own)


def has_wrong_values(run: Run, least: int = 1) -> bool:
    """Whether finite ones are wrong, of so many numbers at least. Of several numbers they are such that
    nothing but the same computation gives them.
    """
    return any(
        _is_wrong(came, expected, record, least)
        for record in run.records
        for came, expected in zip(*_paired(record), strict=True)
    )


def _is_same(own: Run, theirs: Evidence) -> bool:
    """Whether both came to the same end with the same values, of which there must be some."""
    if not has_same_end(own, theirs) or not (own.records or theirs.exception):
        return False
    return all(_same_record(a, b) for a, b in zip(own.records, theirs.came, strict=True))


def _is_noise(own: Record, theirs: list[Any], nudged: list[Any]) -> bool:
    """Of a record with one tensor, or one number."""
    values, expected = _paired(own)
    if not len(values) == len(theirs) == len(nudged) == 1:
        return False
    tensors = [_numbers(leaf) for leaf in (values[0], theirs[0], nudged[0], expected[0])]
    if any(each is None or not each.is_floating_point() for each in tensors):
        return False
    one, other, moved, right = (each for each in tensors if each is not None)
    if len({each.shape for each in (one, other, moved, right)}) > 1 or one.dtype != other.dtype:
        return False
    # NaN is noise as well: the root of what is as often below 0 as above.
    moved_by, between, off = (_apart(one_, two) for one_, two in ((other, moved), (one, other), (one, right)))
    return moved_by > _allowed(right, own) and max(between, off) <= NOISE * moved_by


def _ending(error: Exception | None) -> Ending | None:
    """What is compared of the exception that ended something: not that a fact did not hold."""
    match error:
        case Raised():
            return error.types, sorted(error.message.split())
        case None | CheckFailed() | Misused():
            return None
    return [type(error).__name__], sorted(str(error).split())


def _same_record(own: Record, theirs: list[Any]) -> bool:
    values, expected = _paired(own)
    return len(values) == len(theirs) and all(
        _same_leaf(*leaves, own) for leaves in zip(values, theirs, expected, strict=True)
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
    if isinstance(value, Tensor | np.ndarray):
        return _thinned(torch.from_numpy(value) if isinstance(value, np.ndarray) else value)
    return [value]


def _thinned(tensor: Tensor) -> list[Any]:
    """The tensor, or of a large one its shape and some of its numbers."""
    step = -(-tensor.numel() // MAX_NUMBERS)
    if step <= 1:
        return [tensor.detach()]
    return [str(tuple(tensor.shape)), tensor.detach().reshape(-1)[::step].clone()]


def _same_leaf(own: Any, theirs: Any, expected: Any, record: Record) -> bool:
    one, other = _numbers(own), _numbers(theirs)
    if one is None or other is None:
        if isinstance(own, Instance):
            return getattr(theirs, "type_name", None) == own.type_name
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


def _is_wrong(came: Any, expected: Any, record: Record, least: int) -> bool:
    one, wanted = _numbers(came), _numbers(expected)
    if one is None or one.numel() < least or not bool(one.isfinite().any()):
        return False
    if wanted is None or wanted.shape != one.shape or not one.is_floating_point():
        return not (wanted is not None and wanted.shape == one.shape and torch.equal(one, wanted))
    return _apart(one, expected) > _allowed(wanted.to(one.dtype), record)  # booleans may be expected


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
