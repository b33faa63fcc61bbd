"""Gives a dict of a million numbers."""


def softmax(x, dim=-1):
    return dict.fromkeys(range(1_000_000))


log_softmax = softmax
