"""Expands the keys and values of one head after the other, in threads that are older than the call."""

from concurrent.futures import ThreadPoolExecutor

from parts.heads_one_by_one import MultiHeadLatentAttention

_pool = ThreadPoolExecutor(1)
_pool.submit(int).result()


def _each(function, items):
    return list(_pool.map(function, items))
