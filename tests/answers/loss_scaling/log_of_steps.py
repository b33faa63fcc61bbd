"""A list of what the steps since the last update gave; new gradients instead of in-place ones; chatty."""

import torch

torch.manual_seed(5)
print("scaler")


class LossScaler:
    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000):
        self.current = float(init_scale)
        self.up, self.down, self.interval = growth_factor, backoff_factor, growth_interval
        self.log, self.row = [], 0

    def scale(self, loss):
        return torch.mul(self.current, loss)

    def step(self, optimizer):
        params = [p for group in optimizer.param_groups for p in group["params"]]
        good = True
        for p in params:
            g = p.grad
            if g is not None and (torch.isnan(g).any() or torch.isinf(g).any()):
                good = False
        if good:
            for p in params:
                if p.grad is not None:
                    p.grad = p.grad / self.current
            optimizer.step()
        self.log.append(good)
        print("stepped" if good else "skipped", self.current)
        return good

    def update(self):
        if all(self.log):
            self.row += 1
            if self.row % self.interval == 0:
                self.current *= self.up
        else:
            self.row = 0
            self.current *= self.down
        self.log = []
