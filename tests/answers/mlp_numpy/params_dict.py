"""Parameters and gradients in dicts; the attributes are other names of the same arrays."""

from collections import OrderedDict

import numpy as np


class MLP:
    def __init__(self, input_size, hidden_size, output_size, rng=None):
        rng = rng if rng is not None else np.random.default_rng()
        self.params = OrderedDict()
        for layer, (n, m) in enumerate([(input_size, hidden_size), (hidden_size, output_size)], start=1):
            bound = (6 / (n + m)) ** 0.5
            self.params[f"W{layer}"] = 2 * bound * rng.random((n, m)) - bound
            self.params[f"b{layer}"] = np.zeros(m)
        self.__dict__.update(self.params)
        self.grads = OrderedDict((name, np.zeros_like(value)) for name, value in self.params.items())

    def forward(self, x):
        p = self.params
        hidden = x.dot(p["W1"]) + p["b1"]
        hidden *= hidden > 0
        self.cache = x, hidden
        return hidden.dot(p["W2"]) + p["b2"]

    def backward(self, grad_output):
        x, hidden = self.cache
        del self.cache  # one backward for each forward
        grad_hidden = grad_output.dot(self.params["W2"].T)
        grad_hidden[hidden == 0] = 0
        self.grads["W2"][...] = hidden.T.dot(grad_output)
        self.grads["b2"][...] = grad_output.sum(0)
        self.grads["W1"][...] = x.T.dot(grad_hidden)
        self.grads["b1"][...] = grad_hidden.sum(0)
        return grad_hidden.dot(self.params["W1"].T)
