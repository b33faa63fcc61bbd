"""The outcome of grading one submission once, as plain data."""

import json
from collections.abc import Iterable
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


DIAGNOSED = (Outcome.FAILED, Outcome.ERROR)
"""Outcomes of checks that a mistake may explain."""


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
    """The known mistakes whose values the submission's are (their ids joined by " + "), what to say of each
    (in paragraphs), and the names of the failing checks that they explain (none: all), and do not explain.
    `line`: the one line of the answer that is wrong, where with a change of it all checks pass. `look`: where
    no trail leads anywhere, the line where a mistake is to be seen: in this line, or in what leads to it
    ("before"), or from it on ("after"), as `reach` says.
    """

    mistake: str
    message: str
    explains: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    line: int | None = None
    look: int | None = None
    reach: str = "line"

    @classmethod
    def of(
        cls, named: Iterable[tuple[str, str]], explains: tuple[str, ...], unexplained: tuple[str, ...]
    ) -> "Diagnosis":
        """That of these mistakes, each its id and what to say of it."""
        ids, said = zip(*named, strict=True)
        return cls(_BETWEEN_IDS.join(ids), _BETWEEN_TEXTS.join(said), explains, unexplained)

    @property
    def named(self) -> list[tuple[str, str]]:
        """Each mistake's id and what to say of it (all of it, where a text has paragraphs of its own)."""
        ids, said = ids_of(self.mistake), self.message.split(_BETWEEN_TEXTS)
        return list(zip(ids, said if len(said) == len(ids) else [self.message] * len(ids), strict=True))


_BETWEEN_IDS, _BETWEEN_TEXTS = " + ", "\n\n"


def ids_of(mistake: str) -> list[str]:
    """The ids in a diagnosis' `mistake`."""
    return mistake.split(_BETWEEN_IDS)


def in_words(mistake: str) -> str:
    """An id, or the ids in a diagnosis' `mistake`, for where a sentence has no room."""
    return mistake.replace("-", " ")


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
class Suspicion:
    """A line of an answer that reaches for the inside of the interpreter, and what it reaches for."""

    line: int
    what: str


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
    """What the judge found. `message` is about the file as a whole (it does not import, is not started…).

    An answer that passes all checks is tried once more, on inputs drawn from `seed`; `tried_again` says with
    how many of the checks (see `grader.judge.checks.second_round`). Without a second round `seed` is None.
    `parts`: which of the names that the topic asks for are certainly "right", "wrong" or "not_started", where
    there are several and not all are right.
    """

    topic: str
    file: str
    outcome: Outcome
    checks: tuple[Check, ...] = ()
    diagnosis: Diagnosis | None = None
    message: str | None = None
    cost: Cost | None = None
    output: str = ""
    suspicions: tuple[Suspicion, ...] = ()
    parts: dict[str, str] = field(default_factory=dict, hash=False)
    trail: Trail | None = None
    seconds: float = field(default=0.0, compare=False)
    seed: int | None = None
    tried_again: int = 0

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED

    def to_json(self) -> str:
        """One JSON object on one line."""
        data = asdict(self)
        named = {"topic": self.topic, "file": self.file, "passed": self.passed, **data}
        return json.dumps(named, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Verdict":
        """The verdict that `to_json` wrote."""
        data: dict[str, Any] = json.loads(text)
        del data["passed"]
        checks = tuple(
            Check(**{**check, "outcome": Outcome(check["outcome"])}) for check in data.pop("checks")
        )
        diagnosis, cost = data.pop("diagnosis"), data.pop("cost")
        suspicions = data.pop("suspicions", ())
        trail = data.pop("trail", None)
        return cls(
            **{**data, "outcome": Outcome(data["outcome"])},
            checks=checks,
            diagnosis=_diagnosis(diagnosis) if diagnosis else None,
            cost=Cost(**cost) if cost else None,
            suspicions=tuple(Suspicion(**suspicion) for suspicion in suspicions),
            trail=Trail(tuple(Found(**found) for found in trail.pop("found")), **trail) if trail else None,
        )


def _diagnosis(data: dict[str, Any]) -> Diagnosis:
    """A diagnosis as JSON has it, which knows no tuples (and earlier versions of which knew no checks)."""
    explains, unexplained = (tuple(data.get(key, ())) for key in ("explains", "unexplained"))
    others = {key: data[key] for key in ("line", "look", "reach") if key in data}
    return Diagnosis(data["mistake"], data["message"], explains, unexplained, **others)


@dataclass(frozen=True)
class Rehearsed:
    """A mistake, by its id: the checks that reject it, by name with what they say, and the id that the judge
    gives it, None if it has none. `fault` is why it could not be tried, if so.
    """

    mistake: str
    rejected: dict[str, str]
    named: str | None = None
    fault: str | None = None
