"""Asks torch for what counts."""

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode

_meter = _get_current_dispatch_mode()


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
