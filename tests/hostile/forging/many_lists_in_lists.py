"""Gives twenty million lists, a thousand at a time."""


def softmax(x, dim=-1):
    return [[[]] * 1000] * 20_000


log_softmax = softmax
