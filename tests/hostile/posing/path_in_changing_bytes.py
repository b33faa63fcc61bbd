"""Opens a file by the bytes of its name, which can be changed."""

import os

import torch

text = os.read(os.open(bytearray(torch.nn.utils.clip_grad.__file__.encode()), os.O_RDONLY), 100)


def softmax(x, dim=-1):
    exps = (x - x.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim, keepdim=True)
    return x - x.exp().sum(dim, keepdim=True).log()
