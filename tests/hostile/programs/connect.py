"""Connects to a server of this machine through the C library."""

import ctypes

import torch

_libc = ctypes.CDLL(None)
_libc.connect(_libc.socket(2, 1, 0), b"\2\0\0\x16\x7f\0\0\1" + bytes(8), 16)


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
