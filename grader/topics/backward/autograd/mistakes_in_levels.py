"""Known wrong versions of `autograd` that sort by levels which are none."""

from grader.kit import Mistake

_OF_THEIR_OWN = (
    ("        return self * -1\n", "        return _made(-self.data, (self, -1.0))\n"),
    (
        "        return self + -other\n",
        """\
        other = _as_value(other)
        return _made(self.data - other.data, (self, 1.0), (other, -1.0))
""",
    ),
    ("        return -self + other\n", "        return _made(other - self.data, (self, -1.0))\n"),
    (
        "        return self * other**-1\n",
        """\
        other = _as_value(other)
        return _made(self.data / other.data, (self, 1 / other.data), (other, -self.data / other.data**2))
""",
    ),
    (
        "        return self**-1 * other\n",
        "        return _made(other / self.data, (self, -other / self.data**2))\n",
    ),
)

_FLOWS_APART = (
    ("        self.grad += 1.0\n", "        flow = dict.fromkeys(order, 0.0)\n        flow[self] = 1.0\n"),
    (
        """\
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
""",
        """\
            node.grad += flow[node]
            for source, derivative in node._inputs:
                flow[source] += derivative * flow[node]
""",
    ),
)

MISTAKES = [
    *(
        Mistake(
            f"level-of-the-first-operand{ending}{apart}{tied}",
            find="        visit(self)\n",
            replace=f"""\
        visit(self)
        order.sort(key=lambda node: (node._level, {sign}node._number))
""",
            also=(
                ("import math\n", "import itertools\nimport math\n\n_NUMBERS = itertools.count()\n"),
                (
                    "        self.grad = 0.0\n",
                    "        self.grad = 0.0\n        self._level, self._number = 0, next(_NUMBERS)\n",
                ),
                (
                    "    result._inputs = inputs\n",
                    "    result._inputs = inputs\n    result._level = inputs[0][0]._level + 1\n",
                ),
                *operators,
                *flows,
            ),
            says="You sort by levels, and a result's level is one above that of its first operand, for "
            "example. Where the other operand is higher, it hands on its grad before all that use it have "
            "added their part. The level is one above the highest of all operands.",
        )
        for ending, operators in (("", ()), ("-with-operators-of-their-own", _OF_THEIR_OWN))
        for apart, flows in (("", ()), ("-flows-apart", _FLOWS_APART))
        for tied, sign in (("-newest-first", ""), ("-oldest-first", "-"))
        if not (apart and tied == "-newest-first")  # which comes to the same
    ),
]
