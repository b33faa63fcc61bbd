"""Lists and math, NumPy only for the result."""

import math

import numpy as np


def online_attention(query, blocks, scale=None, *, verbose=False):
    q = query.tolist()
    factor = scale
    if factor is None:
        factor = 1.0 / math.sqrt(len(q))
    best, norm, out = float("-inf"), 0.0, []
    stream = iter(blocks)
    while True:
        try:
            keys, values = next(stream)
        except StopIteration:
            break
        rows = values.tolist()
        scores = [factor * math.fsum(a * b for a, b in zip(q, key, strict=True)) for key in keys.tolist()]
        previous, best = best, max([best, *scores])
        keep = math.exp(previous - best)
        shares = [math.exp(score - best) for score in scores]
        norm = norm * keep + sum(shares)
        out = out or [0.0] * len(rows[0])
        out = [
            old * keep + sum(share * row[column] for share, row in zip(shares, rows, strict=True))
            for column, old in enumerate(out)
        ]
        if verbose:
            print(best, norm)
    return np.array([value / norm for value in out], dtype=query.dtype)
