"""Gives views of one element, each of a quarter of a gigabyte."""

import torch


def softmax(x, dim=-1):
    return [torch.zeros(1, dtype=torch.uint8).expand(2**28) for _ in range(1000)]


log_softmax = softmax
