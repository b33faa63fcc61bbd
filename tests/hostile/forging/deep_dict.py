"""Gives dicts that stand in each other."""


def softmax(x, dim=-1):
    value = {}
    for _ in range(400):
        value = {"a": value}
    return value


log_softmax = softmax
