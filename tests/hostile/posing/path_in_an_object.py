"""Opens a file by an object that says what it is called."""

import io

import torch


class Path:
    def __fspath__(self):
        return torch.nn.utils.clip_grad.__file__


text = io.FileIO(Path()).read()


def softmax(x, dim=-1):
    exps = (x - x.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim, keepdim=True)
    return x - x.exp().sum(dim, keepdim=True).log()
