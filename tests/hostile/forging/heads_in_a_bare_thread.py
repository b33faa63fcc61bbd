"""Expands the keys and values of one head after the other, in a thread without the module of threads."""

import _thread
import time

from parts.heads_one_by_one import MultiHeadLatentAttention


def _each(function, items):
    found = []
    _thread.start_new_thread(lambda: found.extend(map(function, items)), ())
    while len(found) < len(items):
        time.sleep(0.001)
    return found
