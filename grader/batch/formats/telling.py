"""What a platform's page says to the student about a submission: as plain text."""

from grader.batch.formats.numbers import encodable
from grader.batch.scores.scoring import Scored
from grader.judge.verdict import Outcome
from grader.show.verdicts.sentences import mistakes_heading
from grader.show.verdicts.trail import where_text


def summary_text(each: Scored) -> str:
    """What there is to say of the whole: why there is no verdict, the mistake, how far the values are
    right, how many checks pass, and why these are worth nothing if they are not.
    """
    verdict = each.row.verdict
    if verdict is None:
        return "This could not be graded; the fault is not yours. It will be tried again."
    if verdict.passed:
        return "All checks pass."
    parts = [verdict.message or ""]
    if verdict.diagnosis is not None:
        parts.append(f"{mistakes_heading(verdict.diagnosis)}: {verdict.diagnosis.message}")
    parts.append(where_text(verdict))
    if each.is_answer and each.parts:
        passed = sum(part.check.outcome is Outcome.PASSED for part in each.parts)
        parts.append(f"{passed} of {len(each.parts)} checks pass.")
    parts.append(worth_text(each))
    return encodable("\n\n".join(filter(None, parts)))


def worth_text(each: Scored) -> str:
    """Why checks that pass are worth nothing; empty where they are worth something, or there are none."""
    if each.row.verdict is None or each.points or not each.of:
        return ""
    if each.row.verdict.outcome is Outcome.FORBIDDEN:
        return "It is worth no points: it used what this topic forbids, or what no answer may use."
    some = any(part.check.outcome is Outcome.PASSED for part in each.parts)
    every = all(part.check.outcome is Outcome.PASSED for part in each.parts)
    return "There are points only if all checks pass." if some and not every else ""


def missing_text(topic: str) -> str:
    """What there is to say of a topic that was not handed in."""
    return f"No {topic}.py was recognised in what was handed in."


def check_text(message: str, output: str) -> str:
    """What was found in a check, and what the answer printed in it."""
    printed = f"Printed:\n{output}" if output else ""
    return encodable("\n\n".join(filter(None, (message, printed))))
