"""TorchScript."""

import torch


@torch.jit.script
def softmax(x, dim: int = -1):
    exps = (x - x.amax(dim=[dim], keepdim=True)).exp()
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
