"""Uses the built-in in a line of half a megabyte."""

import torch


def softmax(x, dim=-1):
    return torch.softmax(x, dim), PAD


log_softmax = softmax
