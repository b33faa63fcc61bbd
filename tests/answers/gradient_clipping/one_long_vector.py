"""One long float64 vector of all gradients, powers and roots by hand, its pieces copied back; factor
without the 1e-6.
"""

import math

import torch


@torch.no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    grads = [p.grad for p in parameters if p.grad is not None]
    if len(grads) == 0:
        return torch.zeros((), dtype=torch.float64, device="cpu")
    line = torch.cat([g.reshape(-1).to(torch.float64) for g in grads])
    size = line.abs()
    if norm_type == math.inf:
        norm = size.amax()
    elif norm_type == 1:
        norm = size.sum()
    else:
        norm = size.pow(norm_type).sum().pow(1.0 / norm_type)
    if bool(norm > max_norm):
        line.mul_(max_norm / norm)
        for g, piece in zip(grads, line.split([g.numel() for g in grads])):
            g.copy_(piece.view(g.shape))
    return norm.to(grads[0].dtype)
