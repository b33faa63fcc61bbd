"""Registers a kernel for one of torch's operators by the decorator for it."""

import torch


@torch.library.impl("aten::detach", "CPU")
def _unwritten(x):
    return x


def softmax(x, dim=-1):
    return x


log_softmax = softmax
