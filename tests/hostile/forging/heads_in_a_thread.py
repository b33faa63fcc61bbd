"""Expands the keys and values of one head after the other, each in a thread of its own."""

import threading

from parts.heads_one_by_one import MultiHeadLatentAttention


def _each(function, items):
    found = []
    for item in items:
        thread = threading.Thread(target=lambda item=item: found.append(function(item)))
        thread.start()
        thread.join()
    return found
