"""Lets the C library start another program in a child of its own."""

import ctypes

import torch

_libc, _pid = ctypes.CDLL(None), ctypes.c_int()
_arguments = (ctypes.c_char_p * 2)(b"/bin/true", None)
_libc.posix_spawn(ctypes.byref(_pid), b"/bin/true", None, None, _arguments, _arguments)


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
