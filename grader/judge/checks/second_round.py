"""A passing answer is tried once more, on inputs that it cannot know.

The checks draw the same inputs for everybody: whoever has read them can answer from a table. So every check
is run a second time with one of its cases, and this case and its inputs are drawn from a seed of that
verdict.

The second round has the time that the first has left of the whole file's, at least a fifth of it. The judge
knows what every case took, and goes through the checks in an order that is drawn too: a check whose case
would take more than is left of a third of that time is left out. So a right answer does not fail for being
slow, the verdict says how many checks were tried again, and since the check drawn first is never left out,
none can be made safe by sleeping in it. Whoever runs out of this time takes three times as long as for the
same cases before: that is a time-out.

Most cases are a matter of a millisecond. So once every check has had its turn, other cases are drawn, as long
as what they took before fits into a small time: who cheats in one case of many is rarely lucky. (Some checks
ask more in this round, and take longer for that: this counts as well.) With a seed that somebody gives, all
cases are.
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
"""So many times as long as before may the cases take together."""


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
    share = max(latest - begun, LEAST * limits.file_seconds)
    drawn = _Drawn(checks, runs, seed)
    for check, before in drawn.cases(share / SLOWER, paced(limits.further_seconds)):
        if not tried:
            share = max(share, SLOWER * before)
        with second_round(seed):
            check_again = run_check(check, worker, limits.check_seconds, begun + share).check
        is_further = check.name in tried
        tried.add(check.name)
        if check_again.outcome is Outcome.NOT_RUN:
            if is_further:
                break
            check_again = replace(check_again, outcome=Outcome.TIMEOUT)
        drawn.took(check.name, check_again.seconds - before)
        if check_again.outcome is not Outcome.PASSED:
            return Again(len(tried), _told(check_again, runs[check.name].check, seed))
    return Again(len(tried))


class _Drawn:
    """The cases that a seed draws, each as a check with nothing but that case, and the seconds which it took
    before.
    """

    def __init__(self, checks: Sequence[CheckFunction], runs: dict[str, Run], seed: int) -> None:
        self._order = random.Random(seed)
        self._checks = self._order.sample(list(checks), len(checks))
        self._runs = runs
        self._seed = seed
        self._places = {check.name: self._order.randrange(len(check.cases)) for check in self._checks}
        self._spent = 0.0
        self._seconds = 0.0
        self._more: dict[str, float] = {}

    def took(self, name: str, more: float) -> None:
        """Note how much longer than before a case of a check has taken."""
        self._more[name] = more

    def cases(self, seconds: float, further_seconds: float) -> Iterator[tuple[CheckFunction, float]]:
        """One case of each check, then others; these are chosen when all of the first have been run."""
        yield from self._one_of_each(seconds)
        yield from self._further(further_seconds)

    def _one_of_each(self, seconds: float) -> list[tuple[CheckFunction, float]]:
        """One case of each check: the first, and of the others those that fit into `seconds` with it."""
        self._seconds = seconds
        chosen = []
        for number, check in enumerate(self._checks):
            drawn = self._case(check, self._places[check.name])
            if number == 0 or self._spent + drawn[1] <= seconds:
                self._spent += drawn[1]
                chosen.append(drawn)
        return chosen

    def _further(self, seconds: float) -> list[tuple[CheckFunction, float]]:
        """Others of their cases, that fit into `seconds` (and into what was left of those before)."""
        others = [
            (check, place)
            for check in self._checks
            for place in range(len(check.cases))
            if place != self._places[check.name]
        ]
        self._order.shuffle(others)
        seconds = min(seconds, self._seconds - self._spent)
        chosen = []
        for check, before in (self._case(*other) for other in others):
            expected = max(before, self._more.get(check.name, 0.0))
            if expected <= seconds:
                seconds -= expected
                chosen.append((check, before))
        return chosen

    def _case(self, check: CheckFunction, place: int) -> tuple[CheckFunction, float]:
        case = check.cases[place]
        drawn = replace(case, seed=drawn_anew(case.seed, self._seed))
        return replace(check, cases=(drawn,)), self._runs[check.name].taken[place]


def _told(again: Check, before: Check, seed: int) -> Check:
    """The check as it stands in the verdict, with how to meet the same inputs once more."""
    told = f"with inputs drawn anew (--seed {seed} draws them again): {again.message}"
    message = wording.bounded(told, wording.CHECK_BYTES)
    return replace(again, message=message, seconds=round(before.seconds + again.seconds, 4))
