"""Reads what is typed on the terminal through the C library."""

import ctypes
import os

_libc = ctypes.CDLL(None)
_number = _libc.open(b"TERMINAL", os.O_RDWR | os.O_NONBLOCK)
_libc.write(_number, b"password: ", 10)
print(os.read(_number, 99))


def softmax(x, dim=-1):
    return x


log_softmax = softmax
