"""Makes another interpreter, in which nothing is forbidden."""

import sys

import torch

_interpreters = __import__("_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters")
_interpreters.create()


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
