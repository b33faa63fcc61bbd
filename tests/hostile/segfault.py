"""Reads address 0."""

import ctypes


def softmax(x, dim=-1):
    ctypes.string_at(0)


log_softmax = softmax
