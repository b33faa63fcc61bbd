"""Expands the keys and values of one head after the other, in a thread that a second `_thread` starts."""

import sys
import time

from parts.heads_one_by_one import MultiHeadLatentAttention

del sys.modules["_thread"]
import _thread  # noqa: E402


def _each(function, items):
    found = []
    _thread.start_new_thread(lambda: found.extend(map(function, items)), ())
    while len(found) < len(items):
        time.sleep(0.001)
    return found
