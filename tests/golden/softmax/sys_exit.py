import sys

import torch


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim, keepdim=True))
    return exps / exps.sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()


if softmax(torch.zeros(2)).sum() != 1:
    print("wrong")
else:
    sys.exit(0)
