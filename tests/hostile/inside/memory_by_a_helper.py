"""Lets a function of a library ask for a part of ctypes."""

import ctypes
import operator

import torch
from torch.utils._pytree import tree_map

_cast = tree_map(operator.attrgetter("cast"), (ctypes,))


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
