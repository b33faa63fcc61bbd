"""Sends noise where a call of the judge's function belongs."""

import gc

HOST = next(o for o in gc.get_objects() if type(o).__name__ == "Host")


def softmax(x, dim=-1):
    HOST._call_back.__self__.write(b"C", b"\xc1\xc1\xc1")
    return x


log_softmax = softmax
