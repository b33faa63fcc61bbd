"""Computes where no mode is told of it."""

import torch
from torch.utils._mode_utils import no_dispatch

with no_dispatch():
    _zero = torch.zeros(1)


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
