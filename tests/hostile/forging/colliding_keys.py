"""Gives a dict whose keys all have one hash."""


def softmax(x, dim=-1):
    return {(2**61 - 1) * i: 0 for i in range(9, 4_000)}


log_softmax = softmax
