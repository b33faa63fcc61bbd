"""Keeps the output normalized all the time, with the log of the denominator; prints and warns."""

import warnings

import numpy as np

warnings.warn("a warning at import", stacklevel=1)
np.random.seed(0)


def online_attention(query, blocks, scale=None):
    if scale is None:
        scale = float(query.shape[-1]) ** -0.5
    lse = np.asarray(-np.inf, dtype=query.dtype)
    mean = None
    for number, (keys, values) in enumerate(blocks):
        print("block", number, keys.shape)
        scores = np.dot(keys, query) * scale
        updated = np.logaddexp(lse, np.logaddexp.reduce(scores))
        weights = np.exp(scores - updated)
        part = (weights[:, None] * values).sum(axis=0)
        mean = part if mean is None else mean * np.exp(lse - updated) + part
        lse = updated
    return mean
