import torch


def softmax(x, dim=-1):
    return normalized(torch.exp(x - x.amax(dim, keepdim=True)), dim)


def normalized(exps, dim):
    return exps / exps.sum(axes=dim)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()
