"""Sums in Python floats, entry by entry, and written back with copy_."""

import torch


class _Total:
    def __init__(self, kind):
        self.kind, self.value = kind, 0.0

    def add(self, entry):
        size = abs(entry)
        if self.kind == float("inf"):
            # NaN is larger than nothing: it has to be asked for
            self.value = size if size != size or size > self.value else self.value
        else:
            self.value += size**self.kind

    def root(self):
        return self.value if self.kind == float("inf") else self.value ** (1.0 / self.kind)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    gradients = []
    total = _Total(float(norm_type))
    for parameter in parameters:
        if parameter.grad is None:
            continue
        gradients.append(parameter.grad)
        for entry in parameter.grad.detach().reshape(-1).tolist():
            total.add(entry)
    norm = total.root()
    if not gradients:
        return torch.tensor(norm)
    if norm > max_norm:
        for gradient in gradients:
            shorter = [entry * max_norm / norm for entry in gradient.detach().reshape(-1).tolist()]
            gradient.data.copy_(gradient.new_tensor(shorter).reshape(gradient.shape))
    return gradients[0].new_tensor(norm)
