"""One row at a time, with an accumulator object that starts from the first row."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Accumulator:
    top: float
    weight: float
    total: np.ndarray

    def add(self, score, value):
        if score > self.top:
            shrink = np.exp(self.top - score)
            self.weight = self.weight * shrink + 1
            self.total = self.total * shrink + value
            self.top = score
        else:
            share = np.exp(score - self.top)
            self.weight += share
            self.total = self.total + share * value


def online_attention(query, blocks, scale=None):
    factor = query.dtype.type(query.size**-0.5 if scale is None else scale)
    state = None
    for keys, values in blocks:
        for key, value in zip(keys, values, strict=True):
            score = factor * (key * query).sum()
            if state is None:
                state = Accumulator(score, query.dtype.type(1), value.copy())
            else:
                state.add(score, value)
    return state.total / state.weight
