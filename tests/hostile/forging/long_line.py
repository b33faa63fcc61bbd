"""Raises in a line of half a megabyte."""


def softmax(x, dim=-1):
    raise ValueError(PAD)


log_softmax = softmax
