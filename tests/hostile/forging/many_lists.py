"""Gives twenty million lists."""


def softmax(x, dim=-1):
    return [[]] * 20_000_000


log_softmax = softmax
