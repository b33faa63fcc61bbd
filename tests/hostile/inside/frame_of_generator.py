"""Asks a generator that runs for the frame above."""

import torch


def _running():
    yield _generator.gi_frame.f_back


_generator = _running()
next(_generator)


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
