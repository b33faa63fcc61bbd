"""Raises what stops a program."""


def softmax(x, dim=-1):
    raise KeyboardInterrupt


log_softmax = softmax
