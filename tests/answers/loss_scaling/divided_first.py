"""Divides first and looks afterwards, by a difference that is 0 for finite numbers only; a property."""

import torch


class LossScaler:
    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000):
        self._log2 = None
        self._scale = torch.tensor(init_scale, dtype=torch.float64)
        self._factors = {True: growth_factor, False: backoff_factor}
        self._left = self._interval = growth_interval
        self._good = True

    @property
    def current(self):
        return self._scale.item()

    def scale(self, loss):
        return loss * self.current

    @torch.no_grad()
    def step(self, optimizer):
        good = True
        for group in optimizer.param_groups:
            for param in filter(lambda param: param.grad is not None, group["params"]):
                param.grad *= 1.0 / self.current
                good &= not (param.grad - param.grad).any().item()
        self._good &= good
        if good:
            optimizer.step()
        return good

    def update(self):
        self._left -= 1
        if not self._good or self._left == 0:
            self._scale = self._scale * self._factors[self._good]
            self._left = self._interval
        self._good = True
