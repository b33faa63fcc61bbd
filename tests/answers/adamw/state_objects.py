"""An object for each parameter; powers of the betas instead of counts; number by number in Python floats."""

import torch


class _One:
    def __init__(self, param):
        self.param = param
        self.moments = None
        self.powers = (1.0, 1.0)

    def update(self, lr, betas, eps, decay):
        gradient = self.param.grad
        if gradient is None:
            return
        numbers, weights = gradient.reshape(-1).tolist(), self.param.detach().reshape(-1).tolist()
        if self.moments is None:
            self.moments = [(0.0, 0.0)] * len(numbers)
        self.powers = tuple(power * beta for power, beta in zip(self.powers, betas, strict=True))
        for i, (g, w) in enumerate(zip(numbers, weights, strict=True)):
            m, v = self.moments[i]
            m, v = betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g * g
            self.moments[i] = m, v
            direction = m / (1 - self.powers[0]) / ((v / (1 - self.powers[1])) ** 0.5 + eps)
            weights[i] = w - lr * (decay * w + direction)
        new = torch.tensor(weights, dtype=self.param.dtype, device=self.param.device)
        with torch.no_grad():
            self.param.copy_(new.reshape(self.param.shape))


class AdamW:
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        self.ones = list(map(_One, params))
        self.options = lr, betas, eps, weight_decay

    def step(self):
        for one in self.ones:
            one.update(*self.options)

    def zero_grad(self):
        for one in self.ones:
            del one.param.grad
