"""Asks in the name of a library: its code is put into a function of the file's own."""

import torch


def _ask():
    pass


_ask.__code__ = torch.is_tensor.__code__


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
