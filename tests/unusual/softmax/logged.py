"""Logs every call, with its line, and warns."""

import logging
import warnings

import torch

logging.basicConfig(level=logging.DEBUG, format="%(filename)s:%(lineno)d %(funcName)s %(message)s")


def softmax(x, dim=-1):
    logging.getLogger(__name__).info("of %s", tuple(x.shape), stack_info=True)
    warnings.warn("slow", stacklevel=2)
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
