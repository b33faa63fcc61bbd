"""Prints 200 MB."""

import torch

printed = False


def softmax(x, dim=-1):
    global printed
    if not printed:
        printed = True
        for _ in range(200):
            print("x" * 2**20)
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
