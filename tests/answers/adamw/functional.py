"""Pure functions over tuples, new tensors at every step, written back through .data; chatty."""

import math

import torch

torch.manual_seed(3)
print("adamw")


def _advance(p, g, state, lr, b1, b2, eps, decay):
    t, m, v = state
    t = t + 1
    m = torch.lerp(g, m, b1)
    v = torch.lerp(g * g, v, b2)
    step_size = lr * math.sqrt(1 - b2**t) / (1 - b1**t)
    scaled_eps = eps * math.sqrt(1 - b2**t)
    return p - lr * decay * p - step_size * m / (v**0.5 + scaled_eps), (t, m, v)


class AdamW:
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        self._params = tuple(params)
        self._numbers = (lr, *betas, eps, weight_decay)
        self._states = {}

    def step(self):
        for i, p in enumerate(self._params):
            if p.grad is not None:
                zeros = torch.zeros_like(p.data)
                p.data, self._states[i] = _advance(
                    p.data, p.grad.detach(), self._states.get(i, (0, zeros, zeros)), *self._numbers
                )

    def zero_grad(self):
        for p in self._params:
            p.grad = None
