"""Gives a million lists."""


def softmax(x, dim=-1):
    return [[]] * 1_000_000


log_softmax = softmax
