"""What an answer's mistakes are called, however little a busy machine gets done in the time for it."""

from pathlib import Path

from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Verdict

TIMES = 6
"""So often is an answer graded: what there was no time for is remembered, and the next time goes on."""


def graded_until_named(
    judge: RemoteJudge, topic_id: str, path: Path, wanted: set[str] | None = None
) -> Verdict:
    """The first verdict in which its mistakes have those names (by default: any), else the last."""
    for _ in range(TIMES):
        verdict = judge.grade(topic_id, path)
        found = names_in(verdict)
        if verdict.passed or (found if wanted is None else found == wanted):
            break
    return verdict


def names_in(verdict: Verdict) -> set[str]:
    """The ids of the mistakes that it names."""
    return set(verdict.diagnosis.mistake.split(" + ")) if verdict.diagnosis else set()
