"""Calls a function that has a long name with nothing, and Python says so."""

import torch


def _quiet(x):
    return torch.exp(x)


_quiet.__name__ = _quiet.__qualname__ = "f" * 500_000


def softmax(x, dim=-1):
    return _quiet()


log_softmax = softmax
