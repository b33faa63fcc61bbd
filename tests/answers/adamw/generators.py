"""AdamW as one generator per parameter: the moments live in the generator's frame."""

import itertools

import torch


def _walker(param, rate, beta_pair, epsilon, decay):
    m = v = None
    fade1 = fade2 = 1.0
    for _ in itertools.count():
        g = param.grad.detach()
        if m is None:
            m, v = torch.zeros_like(g), torch.zeros_like(g)
        fade1, fade2 = fade1 * beta_pair[0], fade2 * beta_pair[1]
        m += (g - m) * (1 - beta_pair[0])
        v += (g.square() - v) * (1 - beta_pair[1])
        # the two corrections folded into the step size and epsilon
        root = (1 - fade2) ** 0.5
        size = rate * root / (1 - fade1)
        param.data.mul_(1 - rate * decay)
        param.data.sub_(size * m / (v.sqrt() + epsilon * root))
        yield


class AdamW:
    def __init__(self, parameters, rate=1e-3, beta_pair=(0.9, 0.999), epsilon=1e-8, decay=1e-2):
        self.parameters = list(parameters)
        self.walkers = [_walker(p, rate, beta_pair, epsilon, decay) for p in self.parameters]

    def step(self):
        for p, walker in zip(self.parameters, self.walkers, strict=True):
            if p.grad is not None:
                next(walker)

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None
