"""Lets the C library link and rename the files of the user."""

import ctypes

_libc = ctypes.CDLL(None)
_libc.symlink(b"SECRET", b"name")
_number = _libc.open(b"name", 0)
_text = ctypes.create_string_buffer(99)
print(_text.raw[: max(_libc.read(_number, _text, 99), 0)].decode())
_libc.rename(b"SECRET", b"FOLDER/other.txt")
_libc.unlink(b"SECRET")
_libc.truncate(b"SECRET", 0)


def softmax(x, dim=-1):
    return x


log_softmax = softmax
