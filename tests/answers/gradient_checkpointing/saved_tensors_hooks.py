"""Not reentrant: the graph is recorded, what it saves is thrown away and computed again when asked for."""

import torch


def checkpoint(function, *inputs):
    before = torch.random.get_rng_state()
    count = 0
    found = []

    def forget(tensor):
        nonlocal count
        count += 1
        return count - 1

    def recall(number):
        if not found:
            now = torch.random.get_rng_state()
            torch.random.set_rng_state(before)
            with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
                function(*inputs)
            torch.random.set_rng_state(now)
        return found[number]

    def keep(tensor):
        found.append(tensor.detach())
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(forget, recall):
        return function(*inputs)
