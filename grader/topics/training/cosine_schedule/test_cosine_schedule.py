"""Checks of `cosine_lr`: the warm-up, PyTorch's cosine, both ends, and what comes after."""

from types import SimpleNamespace

import pytest
from torch.optim.lr_scheduler import CosineAnnealingLR

from grader.kit import assert_close, assert_numbers, assert_true
from grader.kit.rounds import is_second_round

pytestmark = pytest.mark.forbid("optimizers", "schedulers")

PRECISE = 1e-9
COARSE = 1e-6
"""So much of max_lr float32 may be off, whatever the order of the operations."""


def workload(submission, rng):
    return submission.cosine_lr.measure(300, 6e-4, 6e-5, 100, 1000)


def annealed(step, max_lr, min_lr, total_steps):
    """What PyTorch's scheduler gives, by its own formula: to build one takes an optimizer, and a second."""
    scheduler = SimpleNamespace(base_lrs=[max_lr], eta_min=min_lr, T_max=total_steps, last_epoch=step)
    return CosineAnnealingLR._get_closed_form_lr(scheduler)[0]


def expected(step, max_lr, min_lr, warmup_steps, total_steps):
    """The oracle: a share of the warm-up, or PyTorch's schedule begun behind it."""
    if step < warmup_steps:
        return step / warmup_steps * max_lr
    last = total_steps - warmup_steps
    return annealed(min(step - warmup_steps, last), max_lr, min_lr, last)


def rates(answer, steps, schedule):
    return [answer.cosine_lr(step, *schedule) for step in steps]


def assert_rates(submission, steps, *schedule):
    """The learning rates of these steps, as Python floats."""
    came = submission.run(rates, steps, schedule)
    wanted = [expected(step, *schedule) for step in steps]
    if not all(type(rate) in (float, int) for rate in came):
        assert_close(came, wanted)
        return
    missed = [abs(rate - other) for rate, other in zip(came, wanted, strict=True)]
    if 2 * PRECISE < max(missed) / schedule[0] < COARSE:
        # What is off, and by how much, is the rounding of each answer's own operations.
        step, rate, other = max(zip(missed, steps, came, wanted, strict=True))[1:]
        message = (
            f"step {step}: yours {rate:.9g}, expected {other:.9g}: it is right to some seven digits only"
        )
        assert_true(False, message, seen="seven digits")
    # Nine digits of small rates are few of those behind the point.
    unit, ending = (1.0, "") if schedule[0] > 0.1 else (schedule[0], " in units of max_lr")
    rows = (
        {f"step {step}{ending}": rate / unit for step, rate in zip(steps, row, strict=True)}
        for row in (came, wanted)
    )
    assert_numbers(*rows, tolerance=PRECISE)


def test_gives_a_python_float(submission):
    """the learning rate is a Python float, in every part of the schedule"""
    assert_rates(submission, [1, 6, 12], 0.7, 0.1, 3, 10)


@pytest.mark.parametrize("warmup_steps, steps", [(5, [0, 1, 3, 4]), (16, [1, 10, 13, 15, 17])])
def test_warm_up(submission, warmup_steps, steps):
    """the rate rises in a straight line from 0 in step 0 to max_lr in step warmup_steps, whatever min_lr"""
    assert_rates(submission, steps, 0.7, 0.3, warmup_steps, 19)


@pytest.mark.parametrize("min_lr, total_steps", [(0.0, 11), (0.2, 13), (0.1, 41)])
def test_cosine_equals_pytorchs(submission, min_lr, total_steps):
    """without warm-up it equals torch.optim.lr_scheduler.CosineAnnealingLR"""
    assert_rates(submission, [0, 1, 4, 9, 10], 0.7, min_lr, 0, total_steps)


def test_cosine_behind_the_warm_up(submission):
    """behind the warm-up half a wave goes from max_lr in step warmup_steps to min_lr in step total_steps"""
    assert_rates(submission, [5, 6, 9, 11, 14, 16, 17], 0.7, 0.1, 5, 17)


@pytest.mark.parametrize("min_lr, warmup_steps", [(0.1, 5), (0.1, 0), (0.0, 5)])
def test_after_the_end(submission, min_lr, warmup_steps):
    """from total_steps on the rate is min_lr: it neither rises again nor falls below"""
    assert_rates(submission, [17, 18, 23, 1000], 0.7, min_lr, warmup_steps, 17)


def test_small_rates_and_many_steps(submission):
    """rates of 3e-4 over 600,000 steps are right, and a min_lr of 0 is reached"""
    # In units of 1e-4, so that the difference to float32 shows.
    assert_rates(submission, [1, 1999, 2000, 300_000, 599_999, 600_000], 3.0, 0.0, 2000, 600_000)
    assert_rates(submission, [1, 1999, 300_000, 599_999], 3e-4, 3e-5, 2000, 600_000)


def test_very_small_rates(submission):
    """rates of 3e-9 are right to nine digits of max_lr, too"""
    assert_rates(submission, [3, 7, 19, 37, 61, 96], 3e-9, 1e-9, 11, 97)


def test_constant(submission):
    """min_lr may be max_lr: then the rate stays where the warm-up ends"""
    steps = [1, 2, 5, 9]
    assert_rates(submission, steps, 0.7, 0.7, 2, 7)
    if is_second_round():  # 0 too
        came = submission.run(rates, steps, (0.0, 0.0, 2, 7))
        assert_close(
            [float(rate) for rate in came], [0.0] * len(steps), what="with max_lr=0.0 and min_lr=0.0"
        )


def test_each_call_goes_by_its_arguments(submission):
    """each call goes by its own arguments, whatever an earlier one had"""
    schedules = [
        (0.7, 0.1, 6, 19),
        (0.4, 0.1, 6, 19),
        (0.7, 0.2, 6, 19),
        (0.7, 0.1, 3, 19),
        (0.7, 0.1, 6, 13),
    ]
    for schedule in schedules:
        assert_rates(submission, [2, 9], *schedule)


def test_shortest_schedules(submission):
    """a warm-up of one step, and a cosine of one step"""
    assert_rates(submission, [0, 1, 2], 0.7, 0.1, 1, 2)


def test_any_schedule(submission, rng):
    """whatever the rates and the numbers of steps are, warm-up and cosine are right"""
    for _ in range(8 if is_second_round() else 1):
        warmup_steps, cosine_steps = (rng.option(n, 1, 10**6) for n in rng.integers(2, 20_000, 2).tolist())
        max_lr, share, place = rng.uniform(3).tolist()
        max_lr, share = rng.option(0.2 + max_lr, 1e-6, 1.0), rng.option(share, 1e-3, 1.0)
        total_steps = warmup_steps + cosine_steps
        places = (0.3 * warmup_steps, warmup_steps + 0.1 * cosine_steps, place * total_steps)
        steps = [int(place) for place in places]
        assert_rates(submission, steps, max_lr, max_lr * share, warmup_steps, total_steps)
