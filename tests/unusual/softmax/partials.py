"""Both functions are one, with its arguments bound in advance."""

from functools import partial, reduce, update_wrapper

import torch


def _both(x, dim=-1, *, log):
    x = x - reduce(torch.maximum, x.unbind(dim)).unsqueeze(dim)
    total = x.exp().sum(dim, keepdim=True)
    return x - total.log() if log else x.exp() / total


def softmax(x, dim=-1):
    return partial(_both, log=False)(x, dim)


def log_softmax(x, dim=-1):
    return update_wrapper(partial(_both, log=True), _both)(x, dim)
