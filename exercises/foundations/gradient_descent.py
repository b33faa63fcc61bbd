"""Gradient descent on one number: step after step against the slope, with momentum or without.

Momentum is Polyak's heavy ball (1964), in the form of torch.optim.SGD: the velocity adds up the gradients,
and forgets. Forbidden: torch.optim.
"""

from collections.abc import Callable


def quadratic_gradient(x: float) -> float:
    """The derivative of f(x) = x² + x + 1 at `x`, as a Python float, right to nine digits."""
    raise NotImplementedError


def gradient_descent(
    gradient: Callable[[float], float],
    start: float,
    learning_rate: float,
    steps: int,
    momentum: float = 0.0,
) -> list[float]:
    """All the points visited: a new list of steps + 1 Python floats, of which the first is `start`.

    In every step the velocity becomes momentum · velocity + the gradient at the present point, with a factor
    of 1 before the gradient; the point then moves by -learning_rate · that new velocity. The velocity is 0 at
    first, so a momentum of 0 leaves plain gradient descent. (It is torch.optim.SGD, without Nesterov or
    dampening.)

    gradient: gives the slope at a point, as a float. It may be costly, or different at each call: it is
    called once in every step, with the present point as a Python float, and not otherwise. Any function (it
    may call gradient_descent itself), so the points may run away, or pass a place where the slope is 0: each
    of the steps is taken nonetheless, as it is. steps is at least 0 (which gives `start` alone),
    learning_rate above 0, momentum from 0 to less than 1; start, learning_rate and momentum are Python
    floats. Right to nine digits, as Python's floats are, and not torch's float32. Nothing is kept between
    calls.
    """
    raise NotImplementedError
