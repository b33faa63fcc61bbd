"""Gives complex numbers."""

import torch


def softmax(x, dim=-1):
    return x.to(torch.complex128)


log_softmax = softmax
