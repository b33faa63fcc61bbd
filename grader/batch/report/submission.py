"""One submission as HTML: what was found, the mistake, how far it is right. Every text is escaped."""

from html import escape

from grader.batch.formats.numbers import encodable, points_text, shortened
from grader.batch.formats.telling import worth_text
from grader.batch.scores.scoring import Scored
from grader.judge.verdict import Check, Outcome, Verdict
from grader.show.verdicts.outcomes import WORDS
from grader.show.verdicts.sentences import mistakes_heading, parts_sentence
from grader.show.verdicts.trail import where_text

MOST = 1_500
"""Characters of what was found in one check, or printed in it."""


def outcome_word(each: Scored) -> str:
    """How it came out, in a word."""
    if each.row.verdict is None:
        return "fault"
    outcome = each.row.verdict.outcome
    return "UNREADABLE" if outcome is Outcome.UNREADABLE else WORDS[outcome]


def outcome_class(each: Scored) -> str:
    """What it looks like: `pass`, `partly`, `none` for what is not started, `fault` for no verdict."""
    verdict = each.row.verdict
    if verdict is None:
        return "fault"
    return "pass" if verdict.passed else "none" if verdict.outcome is Outcome.NOT_STARTED else "partly"


def points_of(each: Scored) -> str:
    """Its points beside those that there are, if there are any."""
    if each.is_lost:
        return "no points yet"
    if not each.of:
        return ""
    return f"{points_text(each.points)} of {points_text(each.of)}"


def submission_html(each: Scored) -> str:
    """What a student may read about it, too."""
    verdict = each.row.verdict
    if verdict is None:
        return "<p>This could not be graded, by a fault of the grader's. It will be tried again.</p>"
    told = [*_whole(verdict), *_suspicions(verdict)]
    if sentence := worth_text(each):
        told.append(f"<p>{text(sentence)}</p>")
    if verdict.diagnosis is not None:
        said = "".join(f"<p>{text(says)}</p>" for _, says in verdict.diagnosis.named)
        told.append(f"<p><b>{mistakes_heading(verdict.diagnosis, whose='the')}:</b></p>{said}")
    if where := where_text(verdict):
        told.append(f"<p>{text(where)}</p>")
    if sentence := parts_sentence(verdict.parts):
        told.append(f"<p>{text(sentence)}</p>")
    told += _checks(verdict)
    return "\n".join(told)


def text(some: str) -> str:
    """A text as HTML."""
    return escape(encodable(some))


def _whole(verdict: Verdict) -> list[str]:
    if verdict.passed:
        return ["<p>All checks pass.</p>"]
    return [f"<pre>{text(shortened(verdict.message, MOST))}</pre>"] if verdict.message else []


def _suspicions(verdict: Verdict) -> list[str]:
    lines = "".join(f"<li>line {each.line}: {text(each.what)}</li>" for each in verdict.suspicions)
    return [f"<p class=look>Unusual, to be looked at:</p><ul>{lines}</ul>"] if lines else []


def _checks(verdict: Verdict) -> list[str]:
    failed = [check for check in verdict.checks if check.outcome is not Outcome.PASSED]
    passed = len(verdict.checks) - len(failed)
    if not failed or (not passed and all(check.outcome is Outcome.NOT_RUN for check in failed)):
        return []
    items = "".join(map(_check, failed))
    told = f"{passed} of {len(verdict.checks)} checks pass. Not these:" if passed else "No check passes:"
    return [f"<p>{told}</p><ul>{items}</ul>"]


def _check(check: Check) -> str:
    found = f"<pre>{text(shortened(check.message, MOST))}</pre>" if check.message else ""
    printed = f"<p>Printed:</p><pre>{text(shortened(check.output, MOST))}</pre>" if check.output else ""
    return f"<li>{text(check.title)}{found}{printed}</li>"
