"""Looks where in memory everything is."""

with open("/proc/self/maps") as file:
    lines = file.readlines()


def softmax(x, dim=-1):
    exps = (x - x.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim, keepdim=True)
    return x - x.exp().sum(dim, keepdim=True).log()
