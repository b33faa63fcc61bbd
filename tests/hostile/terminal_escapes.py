"""Prints and raises terminal escapes."""


def softmax(x, dim=-1):
    print("\x1b[2J\x1b]0;owned\x07\x1b[32mpassed\x1b[0m\x00\x07")
    raise ValueError("\x1b[2K\rpassed \x9b31m")


log_softmax = softmax
