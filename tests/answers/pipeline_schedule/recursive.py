"""Each operation's end by recursion over what it waits for; a set of those on the way finds circles."""

from fractions import Fraction


def gpipe(num_stages, num_microbatches):
    return [
        [("F", m) for m in range(num_microbatches)] + [("B", m) for m in range(num_microbatches)]
        for _ in range(num_stages)
    ]


def one_f_one_b(num_stages, num_microbatches):
    def order(stage):
        ahead = min(num_stages - stage - 1, num_microbatches)
        forwards = iter(range(num_microbatches))
        backwards = iter(range(num_microbatches))
        yield from (("F", next(forwards)) for _ in range(ahead))
        for m in forwards:
            yield "F", m
            yield "B", next(backwards)
        yield from (("B", m) for m in backwards)

    return [list(order(stage)) for stage in range(num_stages)]


def start_times(orders, forward_time=1, backward_time=2):
    place = {(s, *op): i for s, order in enumerate(orders) for i, op in enumerate(order)}
    known, path = {}, set()

    def start(s, kind, m):
        key = (s, kind, m)
        if key in known:
            return known[key]
        if key in path:
            raise ValueError("a circle")
        path.add(key)
        after = [(s, *orders[s][place[key] - 1])] if place[key] else []
        if kind == "F" and s > 0:
            after.append((s - 1, "F", m))
        if kind == "B":
            after.append((s, "F", m))
            if s < len(orders) - 1:
                after.append((s + 1, "B", m))
        latest = 0
        for each in after:
            latest = max(latest, start(*each) + (forward_time if each[1] == "F" else backward_time))
        path.remove(key)
        known[key] = latest
        return latest

    return [[start(s, *op) for op in order] for s, order in enumerate(orders)]


def bubble_fraction(orders, forward_time=1, backward_time=2):
    starts = start_times(orders, forward_time, backward_time)
    microbatches = len(orders[0]) // 2
    end = starts[0][-1] + backward_time  # gradients come out of the first stage last
    return 1 - Fraction(microbatches * (forward_time + backward_time), end)


def peak_activations(orders):
    return [
        max(sum(+1 if kind == "F" else -1 for kind, _ in order[: n + 1]) for n in range(len(order)))
        for order in orders
    ]
