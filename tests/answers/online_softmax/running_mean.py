"""One row after the other; the output is a mean, moved by its difference to each value."""

import math
from collections.abc import Iterable

import numpy as np


def online_attention(
    query: np.ndarray, blocks: Iterable[tuple[np.ndarray, np.ndarray]], scale: float | None = None
) -> np.ndarray:
    factor = scale
    if factor is None:
        factor = 1.0 / math.sqrt(query.shape[0])
    wide_query = query.astype(np.float64)

    largest = None
    denominator = 0.0
    output = None
    for keys, values in blocks:
        for row in range(keys.shape[0]):
            score = factor * float(np.dot(keys[row].astype(np.float64), wide_query))
            value = values[row].astype(np.float64)  # a copy
            if largest is None:
                largest = score
                denominator = 1.0
                output = value
                continue
            if score > largest:
                # everything before becomes smaller
                shrink = math.exp(largest - score)
                denominator = denominator * shrink + 1.0
                # the output is kept as a mean, so it is always divided already
                output += (value - output) / denominator
                largest = score
            else:
                weight = math.exp(score - largest)
                denominator = denominator + weight
                output += (value - output) * (weight / denominator)
    assert output is not None, "at least one block is needed"
    return output.astype(query.dtype)
