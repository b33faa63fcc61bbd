"""Reads a source of torch into a tensor's memory."""

import torch

text = bytes(torch.UntypedStorage.from_file(torch.nn.utils.clip_grad.__file__, False, 100))


def softmax(x, dim=-1):
    exps = (x - x.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim, keepdim=True)
    return x - x.exp().sum(dim, keepdim=True).log()
