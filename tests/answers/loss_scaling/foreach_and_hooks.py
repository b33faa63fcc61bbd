"""All gradients at once with torch._foreach_*; counts in a dict by optimizer."""

import torch


def _gradients(optimizer):
    for group in optimizer.param_groups:
        for param in group["params"]:
            if param.grad is not None:
                yield param.grad


class LossScaler:
    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000):
        self.current = init_scale
        self.settings = (growth_factor, backoff_factor, growth_interval)
        self.verdicts = {}
        self.history = []

    def scale(self, loss):
        return loss.new_tensor(self.current) * loss

    def step(self, optimizer):
        gradients = list(_gradients(optimizer))
        largest = torch._foreach_norm(gradients, float("inf"))
        fine = bool(torch.stack([each.double() for each in largest]).isfinite().all())
        self.verdicts[id(optimizer)] = fine
        if fine:
            torch._foreach_div_(gradients, self.current)
            optimizer.step()
        return fine

    def update(self):
        growth, backoff, interval = self.settings
        self.history.append(all(self.verdicts.values()))
        self.verdicts.clear()
        if not self.history[-1]:
            self.current, self.history = self.current * backoff, []
        elif len(self.history) == interval:
            self.current, self.history = self.current * growth, []
