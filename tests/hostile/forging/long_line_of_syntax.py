"""Breaks off in a line of half a megabyte."""

import torch

_text = "x = 1 +"


def softmax(x, dim=-1):
    return torch.exp(x), eval(_text + PAD + "+")


log_softmax = softmax
