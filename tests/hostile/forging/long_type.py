"""Gives an object whose type has a long name."""


def softmax(x, dim=-1):
    return type("\U0001f600" * 1_000_000, (), {})()


log_softmax = softmax
