"""A passing answer is tried once more, on inputs that it cannot know.

The checks draw the same inputs for everybody: whoever has read them can answer from a table. So every check
is run a second time with one of its cases, and this case and its inputs are drawn from a seed of that
verdict.

The judge knows what every case took. The second round may take three times as long for the same cases, or as
long as the first has left of the whole file's time: whoever runs out of that is timed out. No check is left
out for being slow, or sleeping in it would make it safe; and a right answer takes twice its time at most.

Most cases are a matter of a millisecond. So once every check has had its turn, other cases are drawn, as long
as what they took before fits into a small time, or into a share of what the first round took: who cheats in
one case of many is rarely lucky. A case that took far longer than the quickest of its check counts as if it
had not, for the same reason. (Some checks ask more in this round, and take longer for that: this counts as
well.) With a seed that somebody gives, all cases are drawn.
"""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.judge.checks.reading import CheckFunction, drawn_anew
from grader.judge.checks.running import Run, run_check
from grader.judge.findings import wording
from grader.judge.limits import Limits
from grader.judge.pace import paced
from grader.judge.verdict import Check, Outcome
from grader.judge.workers.client import Worker
from grader.kit.rounds import second_round

LEAST = 0.2
"""Of the whole file's time the second round has at least this share."""
SLOWER = 3
"""So many times as long as before may the cases take together, and further cases as they may."""
SHARE = 0.2
"""Of what the first round took, further cases may take this much."""
UNUSUAL = 5
"""A case counts for at most so many times the quickest of its check."""


@dataclass(frozen=True)
class Again:
    """What came of the second round: how many checks were tried, and the one that did not hold, if any."""

    tried: int
    failed: Check | None = None


def try_again(
    checks: Sequence[CheckFunction],
    runs: dict[str, Run],
    worker: Worker,
    seed: int,
    limits: Limits,
    latest: float,
) -> Again:
    """Run the checks, all of which have passed (`runs`, by name), with cases drawn from the seed until one
    does not hold. `latest` is the end of the whole file's time (monotonic).
    """
    begun, tried = time.monotonic(), set[str]()
    drawn = _Drawn(checks, runs, seed)
    seconds = max(SLOWER * drawn.taken(), LEAST * limits.file_seconds)
    latest = max(latest, begun + seconds)
    for check in drawn.cases(paced(limits.further_seconds)):
        before = time.monotonic()
        with second_round(seed):
            again = run_check(check, worker, limits.check_seconds, latest).check
        is_further = check.name in tried
        tried.add(check.name)
        if again.outcome is Outcome.NOT_RUN:
            if is_further:
                break
            again = replace(again, outcome=Outcome.TIMEOUT)
        if again.outcome is not Outcome.PASSED:
            return Again(len(tried), _told(again, runs[check.name].check, seed))
        drawn.took(check.name, time.monotonic() - before)
    return Again(len(tried))


class _Drawn:
    """The cases that a seed draws, each as a check with nothing but that case."""

    def __init__(self, checks: Sequence[CheckFunction], runs: dict[str, Run], seed: int) -> None:
        self._order = random.Random(seed)
        self._checks = self._order.sample(list(checks), len(checks))
        self._taken = {name: run.taken for name, run in runs.items()}
        self._seed = seed
        self._places = {check.name: self._order.randrange(len(check.cases)) for check in self._checks}
        self._again: dict[str, float] = {}
        self._spent = 0.0

    def taken(self) -> float:
        """The seconds that the first case of each check took before."""
        return sum(self._taken[name][place] for name, place in self._places.items())

    def took(self, name: str, seconds: float) -> None:
        """Note how long a case of a check has taken this time."""
        self._again[name] = seconds
        self._spent += seconds

    def cases(self, further_seconds: float) -> Iterator[CheckFunction]:
        """One case of each check, then others; these are chosen when all of the first have been run."""
        for check in self._checks:
            yield self._case(check, self._places[check.name])
        seconds = max(further_seconds, SHARE * sum(map(sum, self._taken.values())))
        self._spent = 0.0
        for further in self._further(seconds):
            if self._spent > SLOWER * seconds:
                return
            yield further

    def _further(self, seconds: float) -> list[CheckFunction]:
        """Others of their cases, that should fit into these seconds."""
        others = [
            (check, place)
            for check in self._checks
            for place in range(len(check.cases))
            if place != self._places[check.name]
        ]
        self._order.shuffle(others)
        chosen = []
        for check, place in others:
            expected = self._expected(check.name, place)
            if expected <= seconds:
                seconds -= expected
                chosen.append(self._case(check, place))
        return chosen

    def _expected(self, name: str, place: int) -> float:
        """How long a case may take: a few times as long as the quickest of its check, at most."""
        taken = self._taken[name]
        more = self._again[name] - taken[self._places[name]]
        return min(max(taken[place], more), UNUSUAL * min(taken))

    def _case(self, check: CheckFunction, place: int) -> CheckFunction:
        case = check.cases[place]
        drawn = replace(case, seed=drawn_anew(case.seed, self._seed))
        return replace(check, cases=(drawn,))


def _told(again: Check, before: Check, seed: int) -> Check:
    """The check as it stands in the verdict, with how to meet the same inputs once more."""
    told = f"with inputs drawn anew (--seed {seed} draws them again): {again.message}"
    message = wording.bounded(told, wording.CHECK_BYTES)
    return replace(again, message=message, seconds=round(before.seconds + again.seconds, 4))
