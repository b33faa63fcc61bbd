"""The outcome of grading one submission once, as plain data."""

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How a check, or a whole submission, came out. Of several, the one further down is the worse."""

    PASSED = "passed"
    NOT_RUN = "not_run"
    NOT_STARTED = "not_started"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    FORBIDDEN = "forbidden"
    UNREADABLE = "unreadable"

    @property
    def severity(self) -> int:
        return list(Outcome).index(self)


@dataclass(frozen=True)
class Check:
    """One check's result. `title` is what it states of a right answer, `message` what was found (empty when
    passed), `output` what the last case printed, the one in which it failed; `case` tells this one apart.
    """

    name: str
    title: str
    outcome: Outcome
    message: str = ""
    seconds: float = 0.0
    output: str = ""
    case: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """The known mistake (or two, joined by " + ") whose values the submission's are, and what to say of
    it.
    """

    mistake: str
    message: str


@dataclass(frozen=True)
class Cost:
    """What an answer takes, beside the reference: FLOPs of matrix products, elements of the largest
    tensor.
    """

    matmul_flops: int
    largest_tensor: int
    reference_matmul_flops: int
    reference_largest_tensor: int


@dataclass(frozen=True)
class Found:
    """A named value of the solution that an answer has too, and its line that makes it. `factor`: what it has
    is that many times the value; None where it is the value itself.
    """

    name: str
    line: int
    factor: float | None = None


@dataclass(frozen=True)
class Trail:
    """How far a wrong answer is right: the solution's values that it has, in their order, the first one that
    it does not have, and the line of the answer to look at. `onward`: what is wrong may be in a line after it
    as well. `in_another_order`: the answer has that value's numbers, in other places.
    """

    found: tuple[Found, ...]
    missing: str
    line: int
    onward: bool = False
    in_another_order: bool = False


@dataclass(frozen=True)
class Verdict:
    """What the judge found. `message` is about the file as a whole (it does not import, is not started…)."""

    topic: str
    file: str
    outcome: Outcome
    checks: tuple[Check, ...] = ()
    diagnosis: Diagnosis | None = None
    message: str | None = None
    cost: Cost | None = None
    output: str = ""
    seconds: float = field(default=0.0, compare=False)
    trail: Trail | None = None

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED

    def to_json(self) -> str:
        """One JSON object on one line."""
        data = asdict(self)
        return json.dumps({"topic": self.topic, "file": self.file, "passed": self.passed, **data})

    @classmethod
    def from_json(cls, text: str) -> "Verdict":
        """The verdict that `to_json` wrote."""
        data: dict[str, Any] = json.loads(text)
        del data["passed"]
        checks = tuple(
            Check(**{**check, "outcome": Outcome(check["outcome"])}) for check in data.pop("checks")
        )
        diagnosis, cost = data.pop("diagnosis"), data.pop("cost")
        trail = data.pop("trail", None)
        return cls(
            **{**data, "outcome": Outcome(data["outcome"])},
            checks=checks,
            diagnosis=Diagnosis(**diagnosis) if diagnosis else None,
            cost=Cost(**cost) if cost else None,
            trail=Trail(tuple(Found(**found) for found in trail.pop("found")), **trail) if trail else None,
        )
