"""Takes away what notes its calls, as devices do for a while."""

import torch
import torch.utils._device as devices

_modes = [devices._pop_mode for _ in range(2)]


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
