"""A class with a state, a generator, a central difference (exact for a parabola)."""

from dataclasses import dataclass
from itertools import islice


@dataclass
class Ball:
    x: float
    velocity: float = 0.0

    def rolling(self, gradient, rate, momentum):
        while True:
            yield self.x
            self.velocity = -rate * gradient(self.x) + momentum * self.velocity
            self.x += self.velocity


def quadratic_gradient(x):
    def f(value):
        return value * value + value + 1

    return (f(x + 0.5) - f(x - 0.5)) / 1.0


def gradient_descent(gradient, start, learning_rate, steps, momentum=0.0):
    return list(islice(Ball(start).rolling(gradient, learning_rate, momentum), steps + 1))
