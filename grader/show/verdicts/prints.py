"""What an answer has printed, as text: with the check and the case that made it."""

from rich.text import Text

from grader.judge.verdict import Check, Outcome, Verdict

_QUIET = (Outcome.PASSED, Outcome.NOT_RUN)


def prints_text(verdict: Verdict) -> Text | None:
    """What the first check that fails and prints has printed in the case that fails. Where there is none, the
    last lines of all that was printed; None where there is nothing.
    """
    failing = next((check for check in verdict.checks if check.outcome not in _QUIET and check.output), None)
    if failing is not None:
        return _quoted(_heading(failing), failing.output)
    return _quoted("Your output (last lines):", verdict.output) if verdict.output else None


def _heading(check: Check) -> str:
    where = f", with {check.case}" if check.case else ""
    return f"Your output in {check.name}{where} (last lines):"


def _quoted(heading: str, output: str) -> Text:
    text = Text(f"  {heading}\n", style="bold")
    return text.append("\n".join(f"    {line}" for line in output.split("\n")), style="not bold")
