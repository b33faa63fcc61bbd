"""Makes a type of ctypes from the one that NumPy shows."""

import numpy as np
import torch

_kind = type(np.zeros(1).ctypes._data).__base__
_object = np.zeros(1).ctypes._ctypes.py_object


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
