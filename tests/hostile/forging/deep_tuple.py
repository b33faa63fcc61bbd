"""Gives tuples that stand in each other."""


def softmax(x, dim=-1):
    value = ()
    for _ in range(200):
        value = (value,)
    return value


log_softmax = softmax
