"""Momentum as a share of the last move; no velocity at all. Prints."""

from itertools import accumulate

print("going down")


def quadratic_gradient(x):
    return x + x + 1.0


def gradient_descent(gradient, start, learning_rate, steps, momentum=0.0, **ignored):
    def onwards(pair, _):
        last, now = pair
        return now, now - learning_rate * gradient(now) + momentum * (now - last)

    pairs = accumulate(range(steps), onwards, initial=(start, start))
    return [now for _, now in pairs]
