"""Gives numbers in another order of bytes."""


def softmax(x, dim=-1):
    return x.detach().numpy().astype(">f8")


log_softmax = softmax
