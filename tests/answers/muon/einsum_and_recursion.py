"""Einsum, a recursion over the steps, the norm by vdot, generators that hold the momentum."""

import itertools

import torch


def _advance(x, steps, coefficients):
    if steps == 0:
        return x
    a, b, c = coefficients
    gram = torch.einsum("ik,jk->ij", x, x)
    inner = gram.mul(b).add(gram.matmul(gram), alpha=c)
    inner.diagonal().add_(a)  # a X as well, with the identity
    return _advance(torch.einsum("ij,jk->ik", inner, x), steps - 1, coefficients)


def newton_schulz(matrix, steps=5, coefficients=(3.4445, -4.7750, 2.0315), eps=1e-7):
    if matrix.shape[0] > matrix.shape[1]:
        return newton_schulz(matrix.t(), steps, coefficients, eps).t()
    flat = matrix.reshape(-1)
    norm = torch.dot(flat, flat).sqrt()
    return _advance(matrix / torch.maximum(norm, torch.full_like(norm, eps)), steps, coefficients)


def _directions(param, momentum, nesterov, steps):
    total = torch.zeros_like(param, requires_grad=False)
    for _ in itertools.count():
        gradient = param.grad.detach()
        total = total * momentum + gradient
        yield newton_schulz(torch.add(gradient, total, alpha=momentum) if nesterov else total, steps)


class Muon:
    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_steps=5):
        self.walkers = {p: _directions(p, momentum, nesterov, ns_steps) for p in params}
        if {p.ndim for p in self.walkers} - {2}:
            raise ValueError("matrices only")
        self.lr, self.weight_decay = lr, weight_decay

    def step(self):
        for p, walker in self.walkers.items():
            if p.grad is not None:
                with torch.no_grad():
                    wide = max(1.0, p.shape[0] / p.shape[1])
                    p -= self.lr * (self.weight_decay * p + wide**0.5 * next(walker))

    def zero_grad(self):
        for p in self.walkers:
            del p.grad
