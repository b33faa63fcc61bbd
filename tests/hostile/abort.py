"""Aborts."""

import os


def softmax(x, dim=-1):
    os.abort()


log_softmax = softmax
