"""Returns a view that is small in memory and huge in size."""

import torch


def softmax(x, dim=-1):
    return torch.ones(1).expand(2**40)


log_softmax = softmax
