"""A small framework: layers with forward and backward, and a network that chains them."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Linear:
    weight: np.ndarray
    bias: np.ndarray
    grads: dict = field(default_factory=dict)

    @classmethod
    def xavier(cls, fan_in, fan_out, rng):
        limit = np.sqrt(6.0 / (fan_in + fan_out))
        return cls((rng.random((fan_in, fan_out)) - 0.5) * 2 * limit, np.zeros(fan_out))

    def forward(self, x):
        self.x = x.copy()
        return np.dot(x, self.weight) + self.bias

    def backward(self, grad):
        self.grads = {"weight": np.dot(self.x.T, grad), "bias": np.add.reduce(grad, axis=0)}
        return np.dot(grad, self.weight.T)


class ReLU:
    def forward(self, x):
        self.dead = x <= 0
        x = x.copy()
        x[self.dead] = 0
        return x

    def backward(self, grad):
        return np.where(self.dead, 0.0, grad)


def _alias(layer, name):
    return property(
        lambda self: getattr(self.layers[layer], name),
        lambda self, value: setattr(self.layers[layer], name, value),
    )


class MLP:
    W1, b1 = _alias(0, "weight"), _alias(0, "bias")
    W2, b2 = _alias(2, "weight"), _alias(2, "bias")

    def __init__(self, input_size, hidden_size, output_size, rng=None):
        generator = np.random.default_rng() if rng is None else rng
        self.layers = [
            Linear.xavier(input_size, hidden_size, generator),
            ReLU(),
            Linear.xavier(hidden_size, output_size, generator),
        ]

    @property
    def grads(self):
        first, _, second = self.layers
        return {
            "W1": first.grads["weight"],
            "b1": first.grads["bias"],
            "W2": second.grads["weight"],
            "b2": second.grads["bias"],
        }

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, grad_output):
        for layer in reversed(self.layers):
            grad_output = layer.backward(grad_output)
        return grad_output
