"""Raises what loops swallow."""


def softmax(x, dim=-1):
    raise StopIteration


log_softmax = softmax
