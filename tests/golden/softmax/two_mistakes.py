import torch


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim, keepdim=True))
    return exps / exps.sum(dim, keepdim=True).detach()


def log_softmax(x, dim=-1):
    total = torch.exp(x - x.amax(dim, keepdim=True)).sum(dim, keepdim=True)
    return x - torch.log(total)
