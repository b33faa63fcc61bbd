"""Tick by tick, with clocks that run; orders by a rule for what comes next."""


def gpipe(num_stages, num_microbatches):
    one = [(kind, m) for kind in ("F", "B") for m in range(num_microbatches)]
    return [one] * num_stages


def one_f_one_b(num_stages, num_microbatches):
    orders = []
    for place in range(num_stages, 0, -1):
        f = b = 0
        order = []
        while b < num_microbatches:
            if f < num_microbatches and f - b < place:
                order.append(("F", f))
                f += 1
            else:
                order.append(("B", b))
                b += 1
        orders.append(order)
    return orders


def _simulate(orders, forward_time, backward_time):
    last = len(orders) - 1
    starts = [[None] * len(order) for order in orders]
    position = [0] * len(orders)
    running = [0] * len(orders)
    done = set()
    time = 0
    while any(p < len(order) for p, order in zip(position, orders, strict=True)):
        for s, order in enumerate(orders):
            if running[s] or position[s] == len(order):
                continue
            kind, m = order[position[s]]
            if kind == "F":
                ready = s == 0 or (s - 1, "F", m) in done
            else:
                ready = (s, "F", m) in done and (s == last or (s + 1, "B", m) in done)
            if ready:
                starts[s][position[s]] = time
                running[s] = forward_time if kind == "F" else backward_time
        if not any(running):
            raise ValueError("deadlock")
        time += 1
        for s, order in enumerate(orders):
            if running[s]:
                running[s] -= 1
                if running[s] == 0:
                    done.add((s, *order[position[s]]))
                    position[s] += 1
    return starts, time


def start_times(orders, forward_time=1, backward_time=2):
    return _simulate(orders, forward_time, backward_time)[0]


def bubble_fraction(orders, forward_time=1, backward_time=2):
    _, end = _simulate(orders, forward_time, backward_time)
    busy = sum(len(order) // 2 * (forward_time + backward_time) for order in orders)
    return (len(orders) * end - busy) / (len(orders) * end)


def peak_activations(orders):
    starts, _ = _simulate(orders, 1, 1)
    peaks = []
    for order, row in zip(orders, starts, strict=True):
        alive, most = set(), 0
        for _, (kind, m) in sorted(zip(row, order, strict=True)):
            if kind == "F":
                alive.add(m)
            else:
                alive.remove(m)
            most = max(most, len(alive))
        peaks.append(most)
    return peaks
