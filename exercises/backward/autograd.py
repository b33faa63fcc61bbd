"""Reverse mode on scalars: numbers that remember what they were made from, as in micrograd.

The idea of every framework's backward pass (https://github.com/karpathy/micrograd; Baydin et al. 2018,
https://arxiv.org/abs/1502.05767). Plain Python: torch and NumPy are forbidden, math is allowed.
"""


class Value:
    """A number with the attributes `data`, and `grad`: 0.0 at first, a plain number like data.

    Operators: + - * / between Values and with plain numbers (int or float) on either side, so that sum()
    works too; unary -; ** n with a plain number n. Each operator and method below gives a new Value, also
    where the number is the same (v + 0, v ** 1), and changes no old one. Not asked: relu and ** n at 0,
    fractional n of negative numbers, Values as exponents.

    A leaf's data may be overwritten between two graphs. Numbers are compared by value.
    """

    def __init__(self, data: float) -> None:
        """A leaf: a number that was not computed."""
        raise NotImplementedError

    def __add__(self, other: "Value | float") -> "Value":
        raise NotImplementedError

    def __radd__(self, other: float) -> "Value":
        raise NotImplementedError

    def __mul__(self, other: "Value | float") -> "Value":
        raise NotImplementedError

    def __rmul__(self, other: float) -> "Value":
        raise NotImplementedError

    def __pow__(self, exponent: float) -> "Value":
        raise NotImplementedError

    def __neg__(self) -> "Value":
        raise NotImplementedError

    def __sub__(self, other: "Value | float") -> "Value":
        raise NotImplementedError

    def __rsub__(self, other: float) -> "Value":
        raise NotImplementedError

    def __truediv__(self, other: "Value | float") -> "Value":
        raise NotImplementedError

    def __rtruediv__(self, other: float) -> "Value":
        raise NotImplementedError

    def exp(self) -> "Value":
        """e to the power of it."""
        raise NotImplementedError

    def log(self) -> "Value":
        """Its natural logarithm."""
        raise NotImplementedError

    def tanh(self) -> "Value":
        """Its hyperbolic tangent: right for numbers of any size, ±1e4 for example, without overflow."""
        raise NotImplementedError

    def relu(self) -> "Value":
        """It where it is positive, else 0."""
        raise NotImplementedError

    def backward(self) -> None:
        """Add to the grad of every Value that this one was made from, and to its own, the derivative of this
        one by that Value: for leaves and for what was computed in between; 1 for itself.

        A Value that is used several times gets the sum. Grads are added to what is there: two results may
        share leaves, whose grads add up over the two calls until somebody sets them to 0.0. No other Value
        takes part in two calls, and a leaf is not a root after another call. Any Value may be the root, a
        leaf too.

        Graphs are at most 300 operations deep (300 times v = 1 - v, say), so recursion will do. But
        reuse makes exponentially many paths (60 doublings of one Value, in at most 2 s): each Value is
        handled once.
        """
        raise NotImplementedError
