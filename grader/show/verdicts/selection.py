"""What of a verdict is worth a learner's first look."""

from dataclasses import dataclass

from grader.judge.verdict import DIAGNOSED, Check, Outcome, Verdict
from grader.show.verdicts.groups import Group, grouped, line_of
from grader.show.verdicts.trail import REACHES


@dataclass(frozen=True)
class Selection:
    """The checks that did not pass: those that the named mistakes explain, the one to begin with of the
    others (with those that came to the same end, where most did), and what is left of them. `waiting` are
    those that were not run.
    """

    explained: tuple[Check, ...]
    main: Group | None
    others: tuple[Group, ...]
    waiting: tuple[Group, ...]


def selected(verdict: Verdict) -> Selection:
    """The checks of a verdict, sorted."""
    failing = [check for check in verdict.checks if check.outcome is not Outcome.PASSED]
    explained = tuple(check for check in failing if _is_explained(check, verdict))
    groups = grouped([check for check in failing if check not in explained])
    run = [group for group in groups if group.first.outcome is not Outcome.NOT_RUN]
    run.sort(key=lambda group: -len(group.others))
    waiting = tuple(group for group in groups if group.first.outcome is Outcome.NOT_RUN)
    return Selection(explained, run[0] if run else None, tuple(run[1:]), waiting)


def line_to_look_at(verdict: Verdict) -> int | None:
    """The line of the answer where what is wrong can be seen, if that is known."""
    if verdict.message is not None:
        return line_of(verdict.message)
    if verdict.diagnosis is not None and verdict.diagnosis.line is not None:
        return verdict.diagnosis.line
    selection = selected(verdict)
    if verdict.diagnosis is None and selection.main is not None:
        line = line_of(selection.main.first.message)
        if line is not None:
            return line
    if verdict.trail is not None:
        return verdict.trail.line
    if verdict.diagnosis is not None and verdict.diagnosis.look is not None:
        return verdict.diagnosis.look
    return next((line for check in selection.explained if (line := line_of(check.message))), None)


def what_else_to_look_at(verdict: Verdict) -> str:
    """The words that come after that line, where it may not be the line itself that is wrong."""
    named = verdict.diagnosis
    if named is None or named.look is None or named.look != line_to_look_at(verdict):
        return ""
    return REACHES[named.reach]


def _is_explained(check: Check, verdict: Verdict) -> bool:
    if verdict.diagnosis is None:
        return False
    if verdict.diagnosis.explains:
        return check.name in verdict.diagnosis.explains
    return check.outcome in DIAGNOSED
