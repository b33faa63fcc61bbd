"""Rows to try things on."""

from grader.batch.results.row import Row
from grader.batch.scores.results import OfStudent, Results
from grader.batch.scores.scoring import Scored
from grader.judge.verdict import Check, Diagnosis, Outcome, Suspicion, Verdict

MOMENT = "2026-11-20T10:00:00.000000Z"
EVIL = '=cmd()|<script>alert("1")</script>&\''


def verdict(topic: str = "softmax", *outcomes: Outcome, **options: object) -> Verdict:
    """With a check for each outcome; the whole is the worst of them."""
    outcomes = outcomes or (Outcome.PASSED,)
    checks = tuple(
        Check(
            f"test_{number}", f"holds {number}", outcome, "" if outcome is Outcome.PASSED else f"not {number}"
        )
        for number, outcome in enumerate(outcomes, start=1)
    )
    worst = max(outcomes, key=lambda outcome: outcome.severity)
    return Verdict(topic, f"{topic}.py", worst, **{"checks": checks, "seconds": 0.5, **options})  # type: ignore[arg-type]


def row(
    student: str = "alice", sha256: str | None = "1f", made: Verdict | None = None, **options: str
) -> Row:
    found = made or verdict()
    return Row(
        student, found.topic, f"{student}/{found.topic}.py", sha256, "0.1.0+ab", MOMENT, found, **options
    )


def failed() -> Verdict:
    """Two of three checks pass, the mistake is known, and it looks suspicious."""
    diagnosis = Diagnosis("no-scale", "You do not scale.", ("test_2",))
    suspicion = Suspicion(3, "ctypes reaches any memory of the process")
    outcomes = (Outcome.PASSED, Outcome.FAILED, Outcome.PASSED)
    return verdict("sdpa", *outcomes, diagnosis=diagnosis, suspicions=(suspicion,))


def results(*rows: Scored, **most: float) -> Results:
    """Of a class in which every topic that somebody began counts, and those given with their points."""
    counts: dict[str, float] = {}
    for each in rows:
        if each.row.verdict is None or each.row.verdict.outcome is not Outcome.NOT_STARTED:
            counts[each.row.topic] = max(each.of, counts.get(each.row.topic, 0.0))
    return Results(rows, {**counts, **most})


def own(*rows: Scored, **most: float) -> OfStudent:
    """The same of one student."""
    return OfStudent("alice", rows, results(*rows, **most).most)
