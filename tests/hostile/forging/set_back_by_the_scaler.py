"""Steps twice with half of the gradients, and sets the optimizer's own number back."""

from solution import LossScaler

_step = LossScaler.step


def step(self, optimizer):
    for group in optimizer.param_groups:
        for param in group["params"]:
            if param.grad is not None:
                param.grad /= 2
    made = _step(self, optimizer)
    if made:
        optimizer.step()
        if hasattr(optimizer, "steps"):
            optimizer.steps -= 1
    return made


LossScaler.step = step
