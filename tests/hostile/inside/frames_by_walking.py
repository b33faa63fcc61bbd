"""Lets traceback walk through the frames above."""

import heapq
import traceback

import torch

_above = list(heapq.merge((frame.f_back for frame, _ in traceback.walk_stack(None))))


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
