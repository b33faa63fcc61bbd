"""NumPy for the iteration, from the right for tall matrices; an object for each parameter."""

import numpy as np
import torch


def newton_schulz(matrix, steps=5, coefficients=(3.4445, -4.7750, 2.0315), eps=1e-7):
    x = matrix.detach().numpy().astype(np.float64)
    x = x / (np.sqrt((x**2).sum()) + eps)
    rows, cols = x.shape
    first, third, fifth = coefficients
    for _ in range(steps):
        if rows <= cols:
            gram = np.matmul(x, x.T)
            x = first * x + np.matmul(third * gram + fifth * np.matmul(gram, gram), x)
        else:
            gram = np.matmul(x.T, x)
            x = first * x + np.matmul(x, third * gram + fifth * np.matmul(gram, gram))
    return torch.from_numpy(x).to(matrix)


class _Matrix:
    def __init__(self, weight):
        if len(weight.shape) != 2:
            raise ValueError(tuple(weight.shape))
        self.weight, self.sum = weight, 0.0

    def update(self, lr, decay, momentum, nesterov, steps):
        gradient = self.weight.grad
        if gradient is None:
            return
        self.sum = momentum * self.sum + gradient.detach()
        ahead = gradient.detach() + momentum * self.sum if nesterov else self.sum
        rows, cols = self.weight.shape
        change = lr * decay * self.weight.data
        change = change + lr * np.sqrt(max(rows / cols, 1)).item() * newton_schulz(ahead, steps)
        self.weight.data = self.weight.data - change


class Muon:
    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_steps=5):
        self.matrices = [_Matrix(weight) for weight in params]
        self.settings = (lr, weight_decay, momentum, nesterov, ns_steps)

    def step(self):
        for matrix in self.matrices:
            matrix.update(*self.settings)

    def zero_grad(self):
        for matrix in self.matrices:
            matrix.weight.grad = None
