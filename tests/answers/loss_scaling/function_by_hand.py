"""Scale() is a hand-written autograd.Function; division in float64, rounded back by copy_; steps are logged
in a list until update.
"""

import torch


class _Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, loss, factor):
        ctx.factor = factor
        return loss * factor

    @staticmethod
    def backward(ctx, grad):
        return (grad * ctx.factor if ctx.needs_input_grad[0] else None), None


class LossScaler:
    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000):
        self.current = float(init_scale)
        self.growth_factor, self.backoff_factor = growth_factor, backoff_factor
        self.growth_interval = growth_interval
        self.log = []
        self.left = growth_interval

    def scale(self, loss):
        return _Times.apply(loss, self.current)

    def step(self, optimizer):
        grads = []
        for group in optimizer.param_groups:
            grads.extend(p.grad.detach() for p in group["params"] if p.grad is not None)
        made = True
        for g in grads:
            made = made and not bool(torch.isnan(g).any() | torch.isinf(g).any())
        if made:
            for g in grads:
                g.copy_(g.to(torch.float64).div_(self.current))
            optimizer.step()
        self.log.append(made)
        return made

    def update(self):
        fine = all(self.log)
        self.log = []
        if not fine:
            self.current = self.current * self.backoff_factor
            self.left = self.growth_interval
            return
        self.left -= 1
        if self.left == 0:
            self.current = self.current * self.growth_factor
            self.left = self.growth_interval
