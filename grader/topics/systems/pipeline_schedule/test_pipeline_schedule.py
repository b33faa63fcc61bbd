"""Checks of `pipeline_schedule`: against a simulation tick by tick, and known bubbles and peaks."""

import pytest

from grader.kit import assert_accepts, assert_close, assert_equal, assert_raises
from grader.kit.outcomes import CheckFailed
from grader.kit.recording import record
from grader.kit.rules.turns import assert_lists_are_read_anew

LADDER = [(1, 1), (2, 1), (2, 2), (3, 4)]


def smallest(submission, rng, stages, microbatches):
    """orders, start times, bubble and peaks of a small pipeline"""
    for name, expected in {"gpipe": all_forwards, "one_f_one_b": by_turns}.items():
        orders = expected(stages, microbatches)
        assert_orders(submission, name, stages, microbatches, orders)
        assert_starts(submission, orders, 2, 3)
        assert_bubble(submission, orders, 2, 3)
        assert_peaks(submission, orders)


def all_forwards(stages, microbatches):
    return [[[kind, m] for kind in "FB" for m in range(microbatches)] for _ in range(stages)]


def by_turns(stages, microbatches):
    """1F1B, by counting: a stage does B when it has as many F before it as stages from it on, or all."""
    orders = []
    for stage in range(stages):
        order, done = [], {"F": 0, "B": 0}
        while done["B"] < microbatches:
            kind = "FB"[done["F"] - done["B"] == stages - stage or done["F"] == microbatches]
            order.append([kind, done[kind]])
            done[kind] += 1
        orders.append(order)
    return orders


def simulated(orders, forward_time, backward_time):
    """The oracle, tick by tick: when each operation begins, and in how many ticks a stage does nothing."""
    left = {"F": forward_time, "B": backward_time}
    begun, work = [[] for _ in orders], [0] * len(orders)
    ended, idle, tick, every = set(), 0, 0, sum(map(len, orders))
    while len(ended) < every:
        for stage, order in enumerate(orders):
            if work[stage] == 0 and len(begun[stage]) < len(order):
                kind, m = order[len(begun[stage])]
                if waits_for(stage, kind, m, len(orders)) <= ended:
                    begun[stage].append(tick)
                    work[stage] = left[kind]
        for stage, order in enumerate(orders):
            idle += work[stage] == 0
            if work[stage] > 0:
                work[stage] -= 1
                if work[stage] == 0:
                    ended.add((stage, *order[len(begun[stage]) - 1]))
        tick += 1
    return {"begun": begun, "idle": idle, "end": tick}


def waits_for(stage, kind, m, stages):
    if kind == "F":
        return {(stage - 1, "F", m)} if stage > 0 else set()
    return {(stage, "F", m)} | ({(stage + 1, "B", m)} if stage + 1 < stages else set())


def drawn(rng, stages, microbatches):
    """Random orders that can run: some operation that waits for nothing any more, again and again."""
    orders = [[] for _ in range(stages)]
    todo = [(stage, kind, m) for stage in range(stages) for kind in "FB" for m in range(microbatches)]
    done = set()
    while len(done) < len(todo):
        ready = [op for op in todo if op not in done and waits_for(*op, stages) <= done]
        stage, kind, m = ready[int(rng.integers(0, len(ready), 1))]
        orders[stage].append([kind, m])
        done.add((stage, kind, m))
    return orders


def order_of(answer, name, *sizes):
    return [[["" + kind, int(+m)] for kind, m in order] for order in getattr(answer, name)(*sizes)]


def plain(numbers):
    return [plain(each) for each in numbers] if isinstance(numbers, list | tuple) else int(+numbers)


def starts_of(answer, orders, *times):
    starts = answer.start_times([[tuple(op) for op in order] for order in orders], *times)
    return [[int(+start) for start in row] for row in starts]  # a text has no +


def bubble_of(answer, orders, *times):
    return float(+answer.bubble_fraction([[tuple(op) for op in order] for order in orders], *times))


def peaks_of(answer, orders):
    return [int(+peak) for peak in answer.peak_activations([[tuple(op) for op in order] for order in orders])]


def asked(submission, scenario, orders, *times):
    """What the scenario gives of orders that can run; where they are refused, the words do not count."""
    return assert_accepts(lambda *_: submission.run(scenario, orders, *times), said(orders), *times)


def assert_orders(submission, name, stages, microbatches, expected):
    came = submission.run(order_of, name, stages, microbatches)
    assert_equal(len(came), stages, what=f"orders of {name}")
    for stage, order in enumerate(expected):
        said = [[f"{kind} {m}" for kind, m in row] for row in (came[stage], order)]
        assert_equal(*said, what=f"{name}({stages}, {microbatches}), stage {stage}")


def assert_starts(submission, orders, *times):
    expected = simulated(orders, *(times or (1, 2)))["begun"]
    assert_equal(asked(submission, starts_of, orders, *times), expected, what=f"starts of {said(orders)}")


def assert_bubble(submission, orders, *times):
    whole = simulated(orders, *(times or (1, 2)))
    expected = whole["idle"] / (len(orders) * whole["end"])
    came = asked(submission, bubble_of, orders, *times)
    assert_close(came, expected, absolute=1e-9, what=f"bubble of {said(orders)}")


def assert_peaks(submission, orders):
    """The oracle looks at the times, not at the orders: what is kept while each F begins."""
    begun, peaks = simulated(orders, 1, 2)["begun"], []
    for order, starts in zip(orders, begun, strict=True):
        at = {(kind, m): start for (kind, m), start in zip(order, starts, strict=True)}
        spans = [(at["F", m], at["B", m] + 2) for m in range(len(order) // 2)]
        peaks.append(max(sum(f <= now < b for f, b in spans) for now, _ in spans))
    assert_equal(submission.run(peaks_of, orders), peaks, what=f"peaks of {said(orders)}")


def said(orders):
    text = " / ".join(" ".join(f"{kind}{m}" for kind, m in order) for order in orders)
    return text if len(text) < 60 else f"{len(orders)} stages with {len(orders[0]) // 2} microbatches"


@pytest.mark.parametrize("stages, microbatches", [(1, 4), (2, 3), (5, 2)])
def test_gpipe(submission, stages, microbatches):
    """gpipe: every stage does all F, then all B, from 0 up"""
    assert_orders(submission, "gpipe", stages, microbatches, all_forwards(stages, microbatches))


@pytest.mark.parametrize("stages, microbatches", [(1, 4), (2, 3), (4, 7)])
def test_one_f_one_b(submission, stages, microbatches):
    """one_f_one_b: warm-up, then F and B by turns, then the rest of the B"""
    assert_orders(submission, "one_f_one_b", stages, microbatches, by_turns(stages, microbatches))


@pytest.mark.parametrize("stages, microbatches", [(4, 1), (5, 3), (4, 4)])
def test_few_microbatches(submission, stages, microbatches):
    """one_f_one_b with no more microbatches than stages"""
    assert_orders(submission, "one_f_one_b", stages, microbatches, by_turns(stages, microbatches))


@pytest.mark.parametrize("sizes, times", [((2, 521), (2, 5)), ((2, 3), (3, 1)), ((4, 6), (1, 1))])
def test_start_times_of_gpipe(submission, sizes, times):
    """start_times of GPipe, with forwards and backwards of several lengths"""
    assert_starts(submission, all_forwards(*sizes), *times)


@pytest.mark.parametrize("sizes, times", [((4, 6), (1, 2)), ((4, 2), (4001, 1)), ((3, 5), (2, 5))])
def test_start_times_of_1f1b(submission, sizes, times):
    """start_times of 1F1B, with forwards and backwards of several lengths"""
    assert_starts(submission, by_turns(*sizes), *times)


def test_default_times(submission):
    """forward_time is 1 and backward_time 2 where they are not given"""
    assert_starts(submission, by_turns(3, 4))
    # Of both schedules the bubble is the same whatever F and B take; of this one it is not.
    assert_bubble(submission, [[["F", 0], ["F", 1], ["B", m], ["B", 1 - m]] for m in (0, 1)])
    orders, expected = all_forwards(2, 3), simulated(all_forwards(2, 3), 4, 2)["begun"]
    assert_equal(asked(submission, starts_of, orders, 4), expected, what="start times with forward_time=4")


@pytest.mark.parametrize(
    "sizes, times", [((1, 4), (1, 1)), ((2, 5), (1, 2)), ((3, 4), (3, 1)), ((5, 3), (2, 5))]
)
def test_other_orders(submission, rng, sizes, times):
    """start_times of other orders than the two, microbatches in any order, or each done before the next"""
    assert_starts(submission, [[[kind, m] for m in range(11) for kind in "FB"]] * 7, *times)
    assert_starts(submission, drawn(rng, *sizes), *times)


@pytest.mark.parametrize("stages, microbatches, times", [(4, 7, (1, 2)), (5, 3, (3, 2))])
@pytest.mark.parametrize("expected", [all_forwards, by_turns])
def test_bubble(submission, expected, stages, microbatches, times):
    """both schedules are idle for (S - 1) / (M + S - 1) of the time, whatever F and B take"""
    orders, bubble = expected(stages, microbatches), (stages - 1) / (microbatches + stages - 1)
    came = asked(submission, bubble_of, orders, *times)
    assert_close(came, bubble, absolute=1e-9, what=f"bubble of {said(orders)}")


@pytest.mark.parametrize("sizes, times", [((2, 4), (2, 5)), ((4, 5), (3, 1))])
def test_bubble_of_other_orders(submission, rng, sizes, times):
    """bubble_fraction of orders that are neither of the two"""
    assert_bubble(submission, drawn(rng, *sizes), *times)


@pytest.mark.parametrize("stages, microbatches", [(1, 4), (4, 7), (5, 3), (2, 521)])
def test_peaks(submission, stages, microbatches):
    """GPipe keeps M microbatches in each stage, 1F1B at most S - s in stage s"""
    came = submission.run(peaks_of, all_forwards(stages, microbatches))
    assert_equal(came, [microbatches] * stages, what="peaks of GPipe")
    came = submission.run(peaks_of, by_turns(stages, microbatches))
    expected = [min(stages - stage, microbatches) for stage in range(stages)]
    assert_equal(came, expected, what=f"peaks of 1F1B, {stages} stages and {microbatches} microbatches")


def test_peaks_of_other_orders(submission, rng):
    """peak_activations of orders that are neither of the two"""
    assert_peaks(submission, [[["F", 0], ["B", 0], ["F", 1], ["F", 2], ["B", 2], ["B", 1]]])
    for sizes in [(1, 6), (2, 5), (4, 4)]:
        assert_peaks(submission, drawn(rng, *sizes))


DEADLOCKS = {
    "a stage's B before its F": ["B0 F0"],
    "a B before its F in the last stage": ["F0 F1 B0 B1", "F0 B1 F1 B0"],
    "a B before its F in the first stage": ["F0 B1 F1 B0", "F0 F1 B0 B1"],
    "microbatches in opposite order": ["F0 B0 F1 B1", "F1 B1 F0 B0"],
    "after a few that can run": ["F0 F1 B0 F2 B1 B2", "F0 F2 B0 F1 B1 B2", "F0 B0 F1 B1 F2 B2"],
}


def refused(answer, name, orders, stop):
    """What it gives does not matter where it should raise; who looks at the orders on and on is stopped."""
    looks = 0

    class Watched(list):
        def __getitem__(self, place):
            self.look()
            return super().__getitem__(place)

        def __iter__(self):
            self.look()
            return super().__iter__()

        def __len__(self):
            self.look()
            return super().__len__()

        def look(self):
            nonlocal looks
            looks += 1
            if looks > 100_000:
                stop()

    getattr(answer, name)(Watched(Watched(tuple(op) for op in order) for order in orders))


def stop():
    record("goes on and on", "ValueError")  # by the judge: in the answer an exception could be caught
    raise CheckFailed("it looks at the orders more than 100,000 times instead of raising ValueError")


def assert_deadlock(submission, name, case):
    orders = [[[op[0], int(op[1:])] for op in order.split()] for order in DEADLOCKS[case]]
    assert_raises(lambda orders: submission.run(refused, name, orders, stop), orders)


@pytest.mark.parametrize("case", list(DEADLOCKS))
def test_deadlock_raises(submission, case):
    """start_times raises a ValueError where operations wait for each other for ever"""
    assert_deadlock(submission, "start_times", case)


def test_deadlock_raises_in_bubble_fraction(submission):
    """bubble_fraction raises a ValueError where operations wait for each other for ever"""
    assert_deadlock(submission, "bubble_fraction", "after a few that can run")


def left_alone(answer, name, orders):
    getattr(answer, name)(given := [[tuple(op) for op in order] for order in orders])
    return [[list(op) for op in order] for order in given]


@pytest.mark.parametrize("name", ["start_times", "bubble_fraction", "peak_activations"])
def test_orders_are_not_modified(submission, name):
    """the orders are the same after the call"""
    orders = by_turns(3, 4)
    came = assert_accepts(lambda _: submission.run(left_alone, name, orders), said(orders))
    assert_equal(came, orders, what=f"the orders after {name}")


def test_calls_are_independent(submission):
    """a second call starts afresh"""
    for sizes in [(3, 4), (2, 2)]:
        assert_orders(submission, "gpipe", *sizes, all_forwards(*sizes))
        assert_orders(submission, "one_f_one_b", *sizes, by_turns(*sizes))
        assert_starts(submission, by_turns(*sizes), 2, 3)
    before, orders = (([[*map(tuple, row)] for row in each(3, 4)],) for each in (all_forwards, by_turns))
    begun, peaks = simulated(*orders, 1, 2)["begun"], [3, 2, 1]
    for function, expected in (submission.start_times, begun), (submission.peak_activations, peaks):
        assert_lists_are_read_anew(function, before, orders, expected, read=plain)
