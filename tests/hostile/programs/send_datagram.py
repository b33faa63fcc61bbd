"""Sends a datagram to another machine through the C library."""

import ctypes

import torch

_libc = ctypes.CDLL(None)
_libc.sendto(_libc.socket(2, 2, 0), b"x", 1, 0, b"\2\0\0\x35\x08\x08\x08\x08" + bytes(8), 16)


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
