"""What a platform's page says to the student about a submission: as plain text."""

from grader.batch.formats.numbers import encodable
from grader.batch.scores.scoring import Scored
from grader.show.verdicts.sentences import mistakes_heading
from grader.show.verdicts.trail import trail_text


def summary_text(each: Scored) -> str:
    """What there is to say of the whole: why there is no verdict, the mistake, how far the values are
    right.
    """
    verdict = each.row.verdict
    if verdict is None:
        return "This could not be graded; the fault is not yours. It will be tried again."
    if verdict.passed:
        return "All checks pass."
    parts = [verdict.message or ""]
    if verdict.diagnosis is not None:
        parts.append(f"{mistakes_heading(verdict.diagnosis)}: {verdict.diagnosis.message}")
    if verdict.trail is not None:
        parts.append(trail_text(verdict.trail))
    return encodable("\n\n".join(filter(None, parts)))


def check_text(message: str, output: str) -> str:
    """What was found in a check, and what the answer printed in it."""
    printed = f"Printed:\n{output}" if output else ""
    return encodable("\n\n".join(filter(None, (message, printed))))
