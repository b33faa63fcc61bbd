"""Pipeline schedules: in which order each stage does its forwards (F) and backwards (B), and what that costs.

A model is cut into stages, a batch into microbatches that go through them one behind the other. All forwards
first as in "GPipe" (Huang et al., 2019); one forward, one backward as in "Memory-Efficient Pipeline-Parallel
DNN Training" (Narayanan et al., 2021: PipeDream-Flush). Nothing is forbidden, but there is no torch here.
"""


def gpipe(num_stages: int, num_microbatches: int) -> list[list[tuple[str, int]]]:
    """Each stage's order: F of all microbatches, then B of all, both from 0 up.

    An order is, for each stage from the first to the last, the list of ("F", microbatch) and
    ("B", microbatch) that it does, one after the other. At least one stage and one microbatch.
    """
    raise NotImplementedError


def one_f_one_b(num_stages: int, num_microbatches: int) -> list[list[tuple[str, int]]]:
    """Each stage's order, like that of gpipe, with a backward as early as it can be.

    Stage s begins with min(num_stages - 1 - s, num_microbatches) F. Then F and B take turns, F first, until
    no F is left; then comes the rest of the B. F and B each go from 0 up. There may be fewer microbatches
    than stages. At least one of each.
    """
    raise NotImplementedError


def start_times(
    orders: list[list[tuple[str, int]]], forward_time: int = 1, backward_time: int = 2
) -> list[list[int]]:
    """When each operation begins, in the orders' shape: as early as possible, from 0.

    A stage does one operation at a time, in its order. F m waits for the end of F m in the previous stage;
    B m for that of its own stage's F m and for that of B m in the next stage. Sending takes no time. An F
    takes forward_time, a B backward_time: positive integers.

    Any orders are asked, those of other schedules too, in which each stage has F and B of each of the
    microbatches 0, 1, … once. They are not modified. Operations that wait for each other for ever, or for
    one that stands behind them in their own stage, raise ValueError (or AssertionError).
    """
    raise NotImplementedError


def bubble_fraction(
    orders: list[list[tuple[str, int]]], forward_time: int = 1, backward_time: int = 2
) -> float:
    """Which part of the time the stages are idle: 1 - busy / (stages * end).

    busy is the time in which a stage does something, summed over the stages; end is that of the last
    operation of all, while the time begins at 0. Start times, arguments and what raises are those of
    start_times.
    """
    raise NotImplementedError


def peak_activations(orders: list[list[tuple[str, int]]]) -> list[int]:
    """For each stage, how many microbatches' activations it keeps at most at once.

    It keeps those of each microbatch whose F has begun and whose B has not ended. The orders can run; they
    may be those of other schedules, as in start_times, and are not modified.
    """
    raise NotImplementedError
