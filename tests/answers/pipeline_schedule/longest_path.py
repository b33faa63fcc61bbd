"""Start times as longest paths: a NumPy array that is relaxed until nothing changes, or for too long."""

import itertools

import numpy as np


def gpipe(num_stages, num_microbatches):
    return [list(itertools.product("FB", range(num_microbatches))) for _ in range(num_stages)]


def one_f_one_b(num_stages, num_microbatches):
    orders = []
    for stage in range(num_stages):
        # Sorted by turns: B m stands behind F of m + (stages behind), or behind all of them.
        keyed = [((m, 0), ("F", m)) for m in range(num_microbatches)]
        keyed += [((m + num_stages - 1 - stage, 1), ("B", m)) for m in range(num_microbatches)]
        orders.append([op for _, op in sorted(keyed)])
    return orders


def start_times(orders, forward_time=1, backward_time=2):
    stages, length = len(orders), len(orders[0])
    column = [{op: i for i, op in enumerate(order)} for order in orders]
    edges = []
    for s, order in enumerate(orders):
        for i, (kind, m) in enumerate(order):
            edges += [((s, i - 1), (s, i))] if i else []
            if kind == "F" and s + 1 < stages:
                edges.append(((s, i), (s + 1, column[s + 1]["F", m])))
            if kind == "F":
                edges.append(((s, i), (s, column[s]["B", m])))
            if kind == "B" and s > 0:
                edges.append(((s, i), (s - 1, column[s - 1]["B", m])))
    starts = np.zeros((stages, length), dtype=np.int64)
    for _ in range(stages * length + 1):
        before = starts.copy()
        for (s, i), target in edges:
            took = {"F": forward_time, "B": backward_time}[orders[s][i][0]]
            starts[target] = max(starts[target], starts[s, i] + took)
        if np.array_equal(before, starts):
            return starts.tolist()
    raise ValueError("a path that never ends: a circle")


def bubble_fraction(orders, forward_time=1, backward_time=2):
    starts = np.array(start_times(orders, forward_time, backward_time))
    took = np.array([[forward_time if kind == "F" else backward_time for kind, _ in row] for row in orders])
    return float(1 - took.sum() / (len(orders) * (starts + took).max()))


def peak_activations(orders):
    steps = np.array([[1 if kind == "F" else -1 for kind, _ in order] for order in orders])
    return steps.cumsum(axis=1).max(axis=1).tolist()
