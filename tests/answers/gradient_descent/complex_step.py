"""itertools.accumulate over (point, velocity) pairs; the derivative by a complex step."""

from itertools import accumulate


def quadratic_gradient(x):
    h = 2.0**-64
    z = complex(x, h)
    return (z * z + z + 1).imag / h


def gradient_descent(gradient, start, learning_rate, steps, momentum=0.0):
    def move(state, _):
        x, v = state
        v = momentum * v + gradient(x)
        return x - learning_rate * v, v

    return [x for x, _ in accumulate(range(steps), move, initial=(start, 0.0))]
