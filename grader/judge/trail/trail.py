"""The trail of a wrong answer: how far its values are right, and where to look."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence

from grader.judge.checks.reading import Case, CheckFile, CheckFunction
from grader.judge.checks.running import Run
from grader.judge.diagnosis.memory import Memory
from grader.judge.findings import wording
from grader.judge.pace import paced
from grader.judge.trail.calls import first_difference, places_that_count, scope_up_to
from grader.judge.trail.leaving import trail_between
from grader.judge.trail.noted.notes import NotNotes
from grader.judge.trail.remembered import recall, remember
from grader.judge.trail.rerun import Rerun, rerun
from grader.judge.verdict import Outcome, Trail
from grader.judge.workers.client import Program, Worker
from grader.kit.outcomes import CheckFailed, Stopped

CHECKS = 3
"""Failing checks that are tried, at most. That is a bound which does not depend on how busy a machine is: a
tenth of a second, usually."""
QUICK_SECONDS = 0.25
"""A check that took longer is not run once more."""
SECONDS = 2.0
"""For the reruns of one program: what they are to be cut off at, if something is in their way."""


class Followed:
    """An answer's failing cases, run once more with notes, and what the solution gives in them.

    `programs` are the answer and the solution. `answer` is a worker with the answer: where it still lives, it
    is taken as it is, and ended before another one of the `solution` is begun. What that gives is remembered.
    """

    def __init__(
        self,
        checks: CheckFile,
        runs: Mapping[str, Run],
        programs: tuple[Program, Program],
        answer: Worker,
        solution: Callable[[], Worker],
        memory: Memory,
    ) -> None:
        self._failed = [check for check in checks.checks if _is_worth_it(runs[check.name])]
        self._runs, self._memory = runs, memory
        self._answer, self._solution = answer, solution
        self.programs = programs
        self.own: dict[str, Rerun] = {}
        """The answer's, by the check's name, where it failed as before."""
        self.right: dict[str, Rerun] = {}
        """The solution's in the same cases."""

    @property
    def checks(self) -> list[CheckFunction]:
        """Those of which both were run."""
        return [check for check in self._failed if check.name in self.own and check.name in self.right]

    def case(self, check: CheckFunction) -> Case:
        """The one in which the answer fails."""
        return _failing_case(check, self._runs)

    def trail(self) -> Trail | None:
        """The trail of the answer; None where there is nothing to say that is sure."""
        for some in filter(None, (self._failed[:1], self._failed[1:CHECKS])):
            self.own |= {
                name: again
                for name, again in reruns(some, self.case, self._answer).items()
                if _is_same_failure(again, self._runs[name])
            }
            self._run_the_solution([check for check in some if check.name in self.own])
            for check in some:
                trail = _trail(self.right.get(check.name), self.own.get(check.name), self.programs)
                if trail is not None:
                    return trail
        return None

    def _run_the_solution(self, checks: Sequence[CheckFunction]) -> None:
        """In the case of each check in which the answer fails."""
        known = {check.name: recall(self._memory, check, self.case(check)) for check in checks}
        self.right |= {name: again for name, again in known.items() if again is not None}
        if missing := [check for check in checks if check.name not in self.right]:
            self._answer.end()  # there is one worker at a time
            with self._solution() as worker:
                new = reruns(missing, self.case, worker)
            for check in missing:
                if check.name in new:
                    remember(self._memory, check, self.case(check), new[check.name])
            self.right |= new


def _is_worth_it(run: Run) -> bool:
    return run.check.outcome is Outcome.FAILED and run.check.seconds <= paced(QUICK_SECONDS) and run.cases > 0


def reruns(
    checks: Sequence[CheckFunction], case: Callable[[CheckFunction], Case], worker: Worker
) -> dict[str, Rerun]:
    """One case of each check with notes, by the check's name; without those that come to no end."""
    found = {}
    latest = time.monotonic() + paced(SECONDS)
    for check in checks:
        worker.deadline = latest
        with contextlib.suppress(Stopped, NotNotes):
            worker.load()
            found[check.name] = rerun(check, case(check), worker)
    return found


def _failing_case(check: CheckFunction, runs: Mapping[str, Run]) -> Case:
    return check.cases[runs[check.name].cases - 1]


def _is_same_failure(again: Rerun, run: Run) -> bool:
    """Whether the case fails alone as it did among the others: by what came, and with the same words."""
    return isinstance(again.error, CheckFailed) and wording.clean(str(again.error)) in run.check.message


def _trail(right: Rerun | None, own: Rerun | None, programs: tuple[Program, Program]) -> Trail | None:
    """Over the first call whose value differs from the solution's, and what was made for it before."""
    if right is None or own is None or right.error is not None:
        return None
    last = first_difference(right.calls, own.calls)
    if last is None:
        return None
    places = places_that_count(right, last)
    solution = scope_up_to(right, last, places, programs[1].text)
    answer = scope_up_to(own, last, places, programs[0].text)
    if solution is None or answer is None:
        return None
    calls = right.calls[: last + 1]
    return trail_between(solution, answer, [note for call in calls for note in call.inputs], calls)
