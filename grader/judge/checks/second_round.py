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
"""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.judge import wording
from grader.judge.checks.reading import CheckFunction, drawn_anew
from grader.judge.checks.running import Run, run_check
from grader.judge.limits import Limits
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
    begun, tried = time.monotonic(), 0
    share = max(latest - begun, LEAST * limits.file_seconds)
    for check, before in _drawn(checks, runs, seed, share / SLOWER):
        if tried == 0:
            share = max(share, SLOWER * before)
        with second_round():
            check_again = run_check(check, worker, limits.check_seconds, begun + share).check
        tried += 1
        if check_again.outcome is Outcome.NOT_RUN:
            check_again = replace(check_again, outcome=Outcome.TIMEOUT)
        if check_again.outcome is not Outcome.PASSED:
            return Again(tried, _told(check_again, runs[check.name].check, seed))
    return Again(tried)


def _drawn(
    checks: Sequence[CheckFunction], runs: dict[str, Run], seed: int, seconds: float
) -> Iterator[tuple[CheckFunction, float]]:
    """The checks in the order of the seed, each with the one case that it draws and the seconds which that
    took: the first, and of the others those that fit into `seconds` with it.
    """
    order = random.Random(seed)
    spent = 0.0
    for number, check in enumerate(order.sample(list(checks), len(checks))):
        place = order.randrange(len(check.cases))
        before = runs[check.name].taken[place]
        if number and spent + before > seconds:
            continue
        spent += before
        case = check.cases[place]
        yield replace(check, cases=(replace(case, seed=drawn_anew(case.seed, seed)),)), before


def _told(again: Check, before: Check, seed: int) -> Check:
    """The check as it stands in the verdict, with how to meet the same inputs once more."""
    told = f"with inputs drawn anew (--seed {seed} draws them again): {again.message}"
    message = wording.bounded(told, wording.CHECK_BYTES)
    return replace(again, message=message, seconds=round(before.seconds + again.seconds, 4))
