"""No sweep from the root: derivatives "pull" recursively, each Value asks its users for the sum, memoised;
users are found by a recursive walk.
"""

import math


class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self._from = []

    @staticmethod
    def _new(data, parents):
        value = Value(data)
        value._from = parents
        return value

    def __add__(self, other):
        if not isinstance(other, Value):
            return Value._new(self.data + other, [(self, 1.0)])
        return Value._new(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __radd__(self, other):
        return Value._new(other + self.data, [(self, 1.0)])

    def __mul__(self, other):
        if not isinstance(other, Value):
            return Value._new(self.data * other, [(self, other)])
        return Value._new(self.data * other.data, [(self, other.data), (other, self.data)])

    def __rmul__(self, other):
        return Value._new(other * self.data, [(self, other)])

    def __pow__(self, exponent):
        slope = exponent * self.data ** (exponent - 1)
        return Value._new(self.data**exponent, [(self, slope)])

    def __neg__(self):
        return Value._new(-self.data, [(self, -1.0)])

    def __sub__(self, other):
        if not isinstance(other, Value):
            return Value._new(self.data - other, [(self, 1.0)])
        return Value._new(self.data - other.data, [(self, 1.0), (other, -1.0)])

    def __rsub__(self, other):
        return Value._new(other - self.data, [(self, -1.0)])

    def __truediv__(self, other):
        if not isinstance(other, Value):
            return Value._new(self.data / other, [(self, 1 / other)])
        top, bottom = self.data, other.data
        return Value._new(top / bottom, [(self, 1 / bottom), (other, -top / bottom / bottom)])

    def __rtruediv__(self, other):
        return Value._new(other / self.data, [(self, -other / self.data / self.data)])

    def exp(self):
        power = math.exp(self.data)
        return Value._new(power, [(self, power)])

    def log(self):
        return Value._new(math.log(self.data), [(self, 1 / self.data)])

    def tanh(self):
        t = math.tanh(self.data)
        return Value._new(t, [(self, (1 - t) * (1 + t))])

    def relu(self):
        return Value._new(self.data, [(self, 1.0)]) if self.data > 0 else Value._new(0.0, [(self, 0.0)])

    def backward(self):
        members, users = {}, {}

        def walk(node):
            members[id(node)] = node
            for parent, slope in node._from:
                users.setdefault(id(parent), []).append((node, slope))
                if id(parent) not in members:
                    walk(parent)

        known = {id(self): 1.0}

        def pull(node):
            key = id(node)
            if key not in known:
                total = 0.0
                for user, slope in users[key]:
                    total += slope * pull(user)
                known[key] = total
            return known[key]

        walk(self)
        for node in list(members.values()):
            pull(node)
        for key, node in members.items():
            node.grad += known[key]
