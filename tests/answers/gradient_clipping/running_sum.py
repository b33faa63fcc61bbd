"""A running sum of powers; the gradients scaled through out=; the norm in the end by pow."""

import functools

import torch
from torch import inf


def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    grads = []
    for p in parameters:
        if p.grad is not None:
            grads.append(p.grad)
    if not grads:
        return torch.tensor(0.0)
    with torch.no_grad():
        if norm_type == inf:
            total_norm = functools.reduce(torch.maximum, (g.abs().amax() for g in grads))
        else:
            total = grads[0].new_zeros(())
            for g in grads:
                total = total + (g.abs() ** norm_type).sum()
            total_norm = total.pow(1 / norm_type)
        coefficient = torch.clamp(max_norm / (total_norm + 1e-6), max=1)
        for g in grads:
            torch.mul(g, coefficient, out=g)
    return total_norm.detach()
