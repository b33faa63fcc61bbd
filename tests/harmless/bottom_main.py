"""Ends with a main section and looks at its own source."""

import inspect

import torch


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()


source = inspect.getsource(softmax)
if __name__ == "__main__":
    raise SystemExit("not when graded")
