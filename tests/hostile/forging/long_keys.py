"""Gives a dict with long keys."""


def softmax(x, dim=-1):
    return {"\U0001f600" * 10_000 + str(i): 0 for i in range(100)}


log_softmax = softmax
