import torch


def softmax(x, dim=-1):
    exps = torch.exp(x)
    return exps / exps.sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()
