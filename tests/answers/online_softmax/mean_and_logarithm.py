"""Coroutine that keeps a normalised mean and the log of the denominator (np.logaddexp), updated by
interpolation.
"""

import numpy as np


def _mixer():
    mean, lse = 0.0, -np.inf
    while True:
        scores, values = yield mean
        top = scores.max()
        weights = np.exp(scores - top)
        total = weights.sum()
        block_lse = top + np.log(total)
        new = np.logaddexp(lse, block_lse)
        share = np.exp(block_lse - new)
        mean = mean * np.exp(lse - new) + (weights @ values) / total * share
        lse = new


def online_attention(query, blocks, scale=None):
    if scale is None:
        scale = 1.0 / np.sqrt(query.size)
    mixer = _mixer()
    next(mixer)
    result = None
    for pair in blocks:
        keys, values = (np.array(a, dtype=np.float64) for a in pair)
        result = mixer.send((np.einsum("bd,d->b", keys, query.astype(np.float64)) * scale, values))
    mixer.close()
    return np.asarray(result).astype(query.dtype)
