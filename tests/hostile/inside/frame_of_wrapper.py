"""Asks what wraps a generator for its frame."""

import inspect
import types

import torch


@types.coroutine
def _look():
    yield


_found = [value for name, value in inspect.getmembers(types._GeneratorWrapper(_look())) if "frame" in name]


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
