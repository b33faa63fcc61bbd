import torch


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim, keepdim=True))
    return exps / exps.sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    raise NotImplementedError
