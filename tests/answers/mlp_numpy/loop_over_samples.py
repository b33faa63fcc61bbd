"""One sample and one neuron at a time, with outer products."""

import numpy


class MLP:
    def __init__(self, input_size, hidden_size, output_size, rng=None):
        if rng is None:
            rng = numpy.random.default_rng()
        # The second layer first: the order of the draws is free.
        self.W2 = self._draw(rng, hidden_size, output_size)
        self.W1 = self._draw(rng, input_size, hidden_size)
        self.b1 = numpy.zeros((hidden_size,))
        self.b2 = numpy.zeros((output_size,))

    @staticmethod
    def _draw(rng, rows, columns):
        limit = (6.0 / (rows + columns)) ** 0.5
        weight = numpy.empty((rows, columns))
        for i in range(rows):
            for j in range(columns):
                weight[i, j] = limit * (2 * rng.random() - 1)
        return weight

    def forward(self, x):
        self.samples = []
        outputs = []
        for row in x:
            hidden = [max(0.0, float(row @ self.W1[:, j] + self.b1[j])) for j in range(len(self.b1))]
            hidden = numpy.array(hidden)
            self.samples.append((row, hidden))
            outputs.append(hidden @ self.W2 + self.b2)
        return numpy.array(outputs)

    def backward(self, grad_output):
        self.grads = {name: numpy.zeros_like(getattr(self, name)) for name in ("W1", "b1", "W2", "b2")}
        grad_x = []
        for (row, hidden), upstream in zip(self.samples, grad_output, strict=True):
            self.grads["W2"] += numpy.outer(hidden, upstream)
            self.grads["b2"] += upstream
            inner = self.W2 @ upstream
            inner[hidden == 0] = 0
            self.grads["W1"] += numpy.outer(row, inner)
            self.grads["b1"] += inner
            grad_x.append(self.W1 @ inner)
        return numpy.array(grad_x)
