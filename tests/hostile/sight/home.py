"""Reads a file of the user."""

print(open("SECRET").read())


def softmax(x, dim=-1):
    return x


log_softmax = softmax
