"""What an answer has printed: with the check and the case that made it."""

from grader.judge.verdict import Check, Outcome, Verdict

_QUIET = (Outcome.PASSED, Outcome.NOT_RUN)


def prints_of(verdict: Verdict) -> tuple[str, str]:
    """A heading, and what the first check that fails and prints has printed in the case that fails. Where
    there is none, the last lines of all that was printed, which may be nothing.
    """
    for check in verdict.checks:
        if check.outcome not in _QUIET and check.output:
            return _heading(check), check.output
    return "Your output (last lines):", verdict.output


def _heading(check: Check) -> str:
    where = f", with {check.case}" if check.case else ""
    return f'Your output in "{check.title}"{where} (last lines):'
