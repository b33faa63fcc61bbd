import warnings

import numpy as np
from numpy import einsum

np.random.seed(0)
warnings.warn("einsum all the way", stacklevel=1)


class MLP:
    def __init__(self, input_size, hidden_size, output_size, rng=None):
        print(f"MLP {input_size} -> {hidden_size} -> {output_size}")
        rng = rng or np.random.default_rng()
        for i, n, m in (1, input_size, hidden_size), (2, hidden_size, output_size):
            bound = np.sqrt(6) / np.sqrt(n + m)
            setattr(self, f"W{i}", rng.uniform(low=-bound, high=bound, size=(n, m)))
            setattr(self, f"b{i}", np.zeros(m))
        self.grads = dict.fromkeys(["W1", "b1", "W2", "b2"])
        self._backward = None

    def forward(self, x):
        W1, W2 = self.W1, self.W2
        z = einsum("bi,ih->bh", x, W1) + self.b1
        gate = np.where(z > 0, 1.0, 0.0)

        def backward(g):
            dz = einsum("bo,ho,bh->bh", g, W2, gate)
            self.grads["W2"] = einsum("bh,bh,bo->ho", z, gate, g)
            self.grads["b2"] = einsum("bo->o", g)
            self.grads["W1"] = einsum("bi,bh->ih", x, dz)
            self.grads["b1"] = einsum("bh->h", dz)
            return einsum("bh,ih->bi", dz, W1)

        self._backward = backward
        return einsum("bh,ho->bo", z * gate, W2) + self.b2

    def backward(self, grad_output):
        return self._backward(grad_output)
