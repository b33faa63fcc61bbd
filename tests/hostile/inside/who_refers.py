"""Asks who holds a tensor."""

import gc

import torch

print(gc.get_referrers(torch.ones(1)))


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
