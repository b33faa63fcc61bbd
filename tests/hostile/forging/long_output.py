"""Prints lines of characters that take much room."""


def softmax(x, dim=-1):
    for _ in range(100):
        print("\U0001f600" * 10_000)
    return x


log_softmax = softmax
