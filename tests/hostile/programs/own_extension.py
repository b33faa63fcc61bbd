"""Imports an extension that it has written itself."""

import _ctypes
import importlib.util
import shutil

import torch

shutil.copy(_ctypes.__file__, "mine.so")
_spec = importlib.util.spec_from_file_location("_ctypes_mine", "./mine.so")
_module = importlib.util.module_from_spec(_spec)


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
