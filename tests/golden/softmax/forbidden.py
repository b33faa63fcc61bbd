from torch.nn import functional as F


def softmax(x, dim=-1):
    return F.softmax(x, dim)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
