"""Lets a child become another program, and is right itself."""

import ctypes
import os

import torch

_child = os.fork()
if _child == 0:
    ctypes.CDLL(None).execv(b"/bin/true", None)
    os._exit(0)
os.waitpid(_child, 0)


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
