"""Every block becomes a triple by itself, triples are merged with reduce; float64 inside."""

import functools

import numpy as np


def online_attention(query, blocks, scale=None):
    wide = query.astype(np.float64)
    scale = 1 / np.sqrt(query.shape[0]) if scale is None else scale

    def triple(block):
        keys, values = block
        scores = scale * np.einsum("kd,d->k", keys, wide)
        top = np.max(scores)
        weights = np.exp(scores - top)
        return top, np.sum(weights), np.einsum("k,kv->v", weights, values)

    def merge(one, other):
        top = np.maximum(one[0], other[0])
        a, b = np.exp(one[0] - top), np.exp(other[0] - top)
        return top, one[1] * a + other[1] * b, one[2] * a + other[2] * b

    _, denominator, output = functools.reduce(merge, map(triple, blocks))
    return (output / denominator).astype(query.dtype)
