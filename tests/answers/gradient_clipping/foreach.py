"""Lists of tensors at once with torch._foreach_*."""

from itertools import chain

import torch


def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    gradients = list(
        chain.from_iterable([[p.grad.data] for p in parameters if isinstance(p.grad, torch.Tensor)])
    )
    if gradients == []:
        return torch.zeros(1).squeeze(0)
    norm = torch.stack(torch._foreach_norm(gradients, float(norm_type))).norm(p=float(norm_type))
    torch._foreach_mul_(gradients, torch.clamp_max(max_norm / (norm + 1e-6), 1.0))
    return norm
