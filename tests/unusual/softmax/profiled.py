"""Profiles itself, collects garbage and shows the tracebacks of what it catches."""

import cProfile
import gc
import inspect
import traceback

import torch


def softmax(x, dim=-1):
    try:
        return x.no_such_thing
    except AttributeError as error:
        traceback.print_exception(error)
        traceback.print_stack()
    with cProfile.Profile():
        exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    gc.collect()
    assert list(inspect.signature(softmax).parameters) == ["x", "dim"]
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
