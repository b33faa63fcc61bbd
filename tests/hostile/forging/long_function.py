"""Raises in a function that has a long name."""

import torch

_name = "f" * 500_000
exec(f"def {_name}(x):\n    raise ValueError('short')")
_loud = globals()[_name]


def softmax(x, dim=-1):
    return _loud(torch.exp(x))


log_softmax = softmax
