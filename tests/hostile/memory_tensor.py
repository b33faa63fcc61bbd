"""Makes a tensor that is too large."""

import torch


def softmax(x, dim=-1):
    return torch.ones(2**40)


log_softmax = softmax
