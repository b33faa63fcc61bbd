"""Closures, as in Karpathy's lecture."""

import math


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = set(_children)
        self._op = _op
        self._backward = lambda: None

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        left, right = self.data, other.data

        def _backward():
            self.grad += right * out.grad
            other.grad += left * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        assert isinstance(n, int | float)
        out = Value(self.data**n, (self,), f"**{n}")
        base = self.data

        def _backward():
            self.grad += n * base ** (n - 1) * out.grad

        out._backward = _backward
        return out

    def _unary(self, value, slope, op):
        out = Value(value, (self,), op)

        def _backward():
            self.grad += slope * out.grad

        out._backward = _backward
        return out

    def relu(self):
        return self._unary(0.0 if self.data < 0 else self.data, float(self.data > 0), "relu")

    def tanh(self):
        t = math.tanh(self.data)
        return self._unary(t, 1 - t * t, "tanh")

    def exp(self):
        return self._unary(math.exp(self.data), math.exp(self.data), "exp")

    def log(self):
        return self._unary(math.log(self.data), 1 / self.data, "log")

    def backward(self):
        topo, visited = [], set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        # micrograd sets 1 here; the sum is the same for a root that was none before
        self.grad += 1
        for v in reversed(topo):
            v._backward()

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __rsub__(self, other):
        return other + (-self)

    def __rtruediv__(self, other):
        return other * self**-1

    __radd__ = __add__
    __rmul__ = __mul__
