"""Lets another package compute."""

import mpmath
import torch


def softmax(x, dim=-1):
    exps = torch.tensor([float(mpmath.exp(each)) for each in x.flatten().tolist()], dtype=x.dtype)
    return exps.reshape(x.shape) / exps.reshape(x.shape).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
