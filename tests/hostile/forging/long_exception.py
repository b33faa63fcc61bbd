"""Raises an exception with a long name and long words."""


def softmax(x, dim=-1):
    raise type("\U0001f600" * 1_000_000, (Exception,), {})("\U0001f600" * 1_000_000)


log_softmax = softmax
