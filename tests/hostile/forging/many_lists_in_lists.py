"""Gives a million lists, a thousand at a time."""


def softmax(x, dim=-1):
    return [[[]] * 1000] * 1_000


log_softmax = softmax
