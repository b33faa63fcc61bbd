"""Checks of `moving_average`: values against plain loops, the start, the time, wrong windows."""

import numpy as np
import pytest

from grader.kit import assert_close, assert_inputs_unchanged, assert_raises


def oracle(x, window):
    """The means, one after the other."""
    return np.stack([x[max(0, step + 1 - window) : step + 1].mean(axis=0) for step in range(len(x))])


def workload(submission, rng):
    return submission.moving_average.measure(rng.normal(4096, 8).numpy(), 64)


@pytest.mark.parametrize("steps, window", [(7, 3), (5, 1), (11, 4)])
def test_equals_the_means(submission, rng, steps, window):
    """equals the mean of the last rows at every step"""
    x = rng.normal(steps, 3).numpy()
    assert_close(submission.moving_average(x, window), oracle(x, window), tolerance=1e-9)


@pytest.mark.parametrize("window", [5, 7, 100])
def test_the_first_steps_average_what_is_there(submission, rng, window):
    """the first steps average what is there, also with a window longer than x"""
    x = rng.normal(5, 3).numpy() + 10
    assert_close(submission.moving_average(x, window), oracle(x, window), tolerance=1e-9)


def test_the_sum_is_in_float64(submission, rng):
    """float32 numbers are summed in float64"""
    x = (1e7 + rng.normal(300, 2).numpy()).astype(np.float32)
    assert_close(submission.moving_average(x, 3), oracle(x.astype(np.float64), 3), tolerance=1e-6)


def test_a_window_below_1_is_refused(submission, rng):
    """a window below 1 is refused with a ValueError"""
    x = rng.normal(5, 3).numpy()
    for window in (0, -1):
        assert_raises(submission.moving_average, x, window)


@pytest.mark.seconds(3)
def test_time_does_not_depend_on_the_window(submission, rng):
    """200,000 steps with a window of 50,000 take less than three seconds"""
    x = rng.normal(200_000, 2).numpy()
    found = submission.moving_average(x, 50_000)
    sums = np.vstack([np.zeros((1, 2)), np.cumsum(x, axis=0)])
    assert_close(found[50_000:], (sums[50_001:] - sums[1:-50_000]) / 50_000, tolerance=1e-9)


def test_x_is_not_modified(submission, rng):
    """x is not modified"""
    assert_inputs_unchanged(submission.moving_average, rng.normal(7, 3).numpy(), 3)
