"""No recursion and no sort: users are counted, and a node runs when none of them is left, as in torch."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from numbers import Real


@dataclass(eq=False, slots=True)
class Value:
    data: float
    grad: float = 0.0
    edges: list[tuple[Value, float]] = field(default_factory=list, repr=False)

    @staticmethod
    def lift(number):
        return Value(number) if isinstance(number, Real) else number

    def __add__(self, other):
        other = Value.lift(other)
        return Value(self.data + other.data, edges=[(self, 1), (other, 1)])

    __radd__ = __add__

    def __sub__(self, other):
        other = Value.lift(other)
        return Value(self.data - other.data, edges=[(self, 1), (other, -1)])

    def __rsub__(self, other):
        return Value.lift(other) - self

    def __neg__(self):
        return 0 - self

    def __mul__(self, other):
        other = Value.lift(other)
        return Value(self.data * other.data, edges=[(self, other.data), (other, self.data)])

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = Value.lift(other)
        quotient = self.data / other.data
        return Value(quotient, edges=[(self, 1 / other.data), (other, -quotient / other.data)])

    def __rtruediv__(self, other):
        return Value.lift(other) / self

    def __pow__(self, n):
        return Value(self.data**n, edges=[(self, n * math.pow(self.data, n - 1))])

    def exp(self):
        e = math.exp(self.data)
        return Value(e, edges=[(self, e)])

    def log(self):
        return Value(math.log(self.data), edges=[(self, self.data**-1)])

    def tanh(self):
        shrunk = math.exp(-2 * abs(self.data))
        t = math.copysign((1 - shrunk) / (1 + shrunk), self.data)
        return Value(t, edges=[(self, 4 * shrunk / (1 + shrunk) ** 2)])

    def relu(self):
        return self * (self.data > 0)

    def backward(self):
        waiting, users, found = [self], Counter(), {id(self)}
        while waiting:
            for source, _ in waiting.pop().edges:
                users[id(source)] += 1
                if id(source) not in found:
                    found.add(id(source))
                    waiting.append(source)
        self.grad += 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            for source, slope in node.edges:
                source.grad += slope * node.grad
                users[id(source)] -= 1
                if users[id(source)] == 0:
                    ready.append(source)
