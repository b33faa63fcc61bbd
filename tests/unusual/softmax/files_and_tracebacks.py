"""Reads and writes a scratch file, and prints a traceback."""

import os
import tempfile
import traceback

import torch

with tempfile.TemporaryDirectory() as _folder:
    _path = os.path.join(_folder, "x.pt")
    torch.save(torch.ones(3), _path)
    assert torch.load(_path).sum() == 3
try:
    torch.ones(2) @ torch.ones(3)
except RuntimeError:
    traceback.print_exc()


def softmax(x, dim=-1):
    exps = (x - x.amax(dim=dim, keepdim=True)).exp()
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
