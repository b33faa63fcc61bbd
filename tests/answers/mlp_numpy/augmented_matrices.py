"""W1 and b1 are views of one augmented matrix (bias as its last row), W2 and b2 of another; the batch gets
a column of ones.
"""

import numpy as np


def _with_one(x):
    return np.concatenate([x, np.ones((x.shape[0], 1))], axis=1)


class MLP:
    def __init__(self, input_size, hidden_size, output_size, rng=None):
        if rng is None:
            rng = np.random.default_rng()
        self._first = np.zeros((input_size + 1, hidden_size))
        self._second = np.zeros((hidden_size + 1, output_size))
        self.W1, self.b1 = self._first[:-1], self._first[-1]
        self.W2, self.b2 = self._second[:-1], self._second[-1]
        for weight in (self.W2, self.W1):
            bound = np.sqrt(6.0 / sum(weight.shape))
            weight[...] = bound * (2.0 * rng.random(weight.shape) - 1.0)
        self.grads = {}

    def forward(self, x):
        self._x = _with_one(x)
        self._h = _with_one(np.maximum(self._x @ self._first, 0.0))
        return self._h @ self._second

    def backward(self, grad_output):
        d_second = self._h.T @ grad_output
        d_hidden = (grad_output @ self.W2.T) * (self._h[:, :-1] > 0)
        d_first = self._x.T @ d_hidden
        self.grads = {"W1": d_first[:-1], "b1": d_first[-1], "W2": d_second[:-1], "b2": d_second[-1]}
        return d_hidden @ self.W1.T
