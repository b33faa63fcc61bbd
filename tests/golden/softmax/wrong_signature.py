import torch


def softmax(x):
    exps = torch.exp(x - x.amax(-1, keepdim=True))
    return exps / exps.sum(-1, keepdim=True)


def log_softmax(x):
    shifted = x - x.amax(-1, keepdim=True)
    return shifted - shifted.exp().sum(-1, keepdim=True).log()
