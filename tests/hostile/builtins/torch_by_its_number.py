"""Opens the libraries of torch by a descriptor."""

import _ctypes
import os

import torch

_number = os.open(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"), os.O_RDONLY)
_library = _ctypes.dlopen(f"/proc/self/fd/{_number}", 0)


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
