"""Has sizes and overflow of numbers from ctypes, and where an array lies from NumPy."""

import ctypes
from ctypes import c_int8, sizeof

import numpy as np
import torch

assert sizeof(c_int8) == 1 and ctypes.sizeof(ctypes.c_double) == ctypes.sizeof(ctypes.c_double(1.5)) == 8
assert c_int8(200).value == -56
_numbers = np.arange(4)
assert _numbers[1:].ctypes.data - _numbers.ctypes.data == _numbers.itemsize


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
