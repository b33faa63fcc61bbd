"""Gives a list of objects whose types have long names."""

import torch

_kinds = [type("T" * 200_000 + str(number), (), {}) for number in range(20)]


def softmax(x, dim=-1):
    return [kind() for kind in _kinds]


def log_softmax(x, dim=-1):
    return torch.log(x)
