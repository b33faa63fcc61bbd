"""Recursion over halves of the dimension: (maximum, sum) of each half, merged like an online softmax."""

import torch


def _summary(x, dim):
    size = x.shape[dim]
    if size <= 8:
        top = x.detach().amax(dim, keepdim=True).clamp(min=torch.finfo(x.dtype).min)
        return top, (x - top).exp().sum(dim, keepdim=True)
    half = size // 2
    top1, sum1 = _summary(x.narrow(dim, 0, half), dim)
    top2, sum2 = _summary(x.narrow(dim, half, size - half), dim)
    top = torch.maximum(top1, top2)
    return top, sum1 * (top1 - top).exp() + sum2 * (top2 - top).exp()


def softmax(x, dim=-1):
    if x.numel() == 0:
        return x.clone()
    top, total = _summary(x, dim)
    return (x - top).exp() / total


def log_softmax(x, dim=-1):
    if x.numel() == 0:
        return x.clone()
    top, total = _summary(x, dim)
    return (x - top) - total.log()
