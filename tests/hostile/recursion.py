"""Calls itself for ever."""


def softmax(x, dim=-1):
    return softmax(x, dim)


log_softmax = softmax
