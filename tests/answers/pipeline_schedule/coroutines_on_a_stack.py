"""Every start is asked for recursively by coroutines (yield what is needed first) on an explicit stack,
cycles seen by colour.
"""


def gpipe(num_stages, num_microbatches):
    numbers = list(range(num_microbatches))
    return [
        list(zip("F" * num_microbatches + "B" * num_microbatches, numbers * 2)) for _ in range(num_stages)
    ]


def one_f_one_b(num_stages, num_microbatches):
    def order(stage):
        ahead = min(num_stages - 1 - stage, num_microbatches)
        # F m has rank 2 m, and B m stands right behind F (m + ahead)
        keyed = [(2 * m, ("F", m)) for m in range(num_microbatches)]
        keyed += [(2 * (m + ahead) + 1, ("B", m)) for m in range(num_microbatches)]
        return [operation for _, operation in sorted(keyed)]

    return [order(stage) for stage in range(num_stages)]


def _ends(orders, costs):
    index = [{tuple(operation): at for at, operation in enumerate(order)} for order in orders]
    end = {}

    def work(s, at):
        kind, m = orders[s][at]
        needed = [(s, at - 1)] if at else []
        if kind == "F":
            if s > 0:
                needed.append((s - 1, index[s - 1]["F", m]))
        else:
            needed.append((s, index[s]["F", m]))
            if s + 1 < len(orders):
                needed.append((s + 1, index[s + 1]["B", m]))
        for node in needed:
            if node not in end:
                yield node
        end[s, at] = max((end[node] for node in needed), default=0) + costs[kind]

    for s, order in enumerate(orders):
        for at in range(len(order)):
            if (s, at) in end:
                continue
            stack, open_nodes = [((s, at), work(s, at))], {(s, at)}
            while stack:
                node, task = stack[-1]
                wanted = next(task, None)
                if wanted is None:
                    stack.pop()
                    open_nodes.discard(node)
                elif wanted in open_nodes:
                    raise ValueError("a circle of operations that wait for each other")
                else:
                    open_nodes.add(wanted)
                    stack.append((wanted, work(*wanted)))
    return end


def start_times(orders, forward_time=1, backward_time=2):
    costs = {"F": forward_time, "B": backward_time}
    end = _ends(orders, costs)
    return [[end[s, at] - costs[op[0]] for at, op in enumerate(order)] for s, order in enumerate(orders)]


def bubble_fraction(orders, forward_time=1, backward_time=2):
    end = _ends(orders, {"F": forward_time, "B": backward_time})
    microbatches = len(orders[0]) // 2
    return 1 - microbatches * (forward_time + backward_time) / max(end.values())


def peak_activations(orders):
    def running(order):
        alive = 0
        for kind, _ in order:
            alive += 1 if kind == "F" else -1
            yield alive

    return [max(running(order)) for order in orders]
