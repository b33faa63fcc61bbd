"""Values are numbered as they are made: going through them from the youngest needs no search for an order.
Each class of node knows its own derivative.
"""

import heapq
import itertools
import math

_births = itertools.count()


class Value:
    parents = ()

    def __init__(self, data):
        self.data, self.grad, self.birth = data, 0.0, next(_births)

    def slopes(self):
        return ()

    def __add__(self, other):
        return Sum(self, wrap(other))

    def __radd__(self, other):
        return Sum(wrap(other), self)

    def __mul__(self, other):
        return Product(self, wrap(other))

    def __rmul__(self, other):
        return Product(wrap(other), self)

    def __neg__(self):
        return Product(self, Value(-1.0))

    def __sub__(self, other):
        return Sum(self, -wrap(other))

    def __rsub__(self, other):
        return Sum(wrap(other), -self)

    def __truediv__(self, other):
        return Product(self, Mapped(wrap(other), lambda x: 1 / x, lambda x: -1 / (x * x)))

    def __rtruediv__(self, other):
        return wrap(other) / self

    def __pow__(self, n):
        return Mapped(self, lambda x: x**n, lambda x: n * x ** (n - 1) if n else 0.0)

    def exp(self):
        return Mapped(self, math.exp, math.exp)

    def log(self):
        return Mapped(self, math.log, lambda x: 1 / x)

    def tanh(self):
        return Mapped(self, math.tanh, lambda x: 1 - math.tanh(x) ** 2)

    def relu(self):
        return Mapped(self, lambda x: x if x > 0 else 0, lambda x: 1 if x > 0 else 0)

    def backward(self):
        self.grad += 1.0
        heap, known = [(-self.birth, self)], {self}
        while heap:
            _, node = heapq.heappop(heap)
            for parent, slope in zip(node.parents, node.local, strict=True) if node.parents else ():
                parent.grad += slope * node.grad
                if parent not in known:
                    known.add(parent)
                    heapq.heappush(heap, (-parent.birth, parent))


class Sum(Value):
    def __init__(self, *parents):
        super().__init__(parents[0].data + parents[1].data)
        self.parents, self.local = parents, (1.0, 1.0)


class Product(Value):
    def __init__(self, left, right):
        super().__init__(left.data * right.data)
        self.parents, self.local = (left, right), (right.data, left.data)


class Mapped(Value):
    def __init__(self, parent, function, derivative):
        super().__init__(function(parent.data))
        self.parents, self.local = (parent,), (derivative(parent.data),)


def wrap(number):
    return number if isinstance(number, Value) else Value(number)
