"""Known wrong versions of `autograd` where differences and quotients are no sums and products of others.

Who derives each operator by itself has other Values in between, so a mistake elsewhere gives other numbers.
"""

from grader.kit import Mistake

_QUOTIENT = """\
        other = _as_value(other)
        return _made(self.data / other.data, (self, 1 / other.data), (other, -self.data / other.data**2))
"""
_OF_THEIR_OWN = (
    ("        return self * -1\n", "        return _made(-self.data, (self, -1.0))\n"),
    (
        "        return self + -other\n",
        """\
        other = _as_value(other)
        return _made(self.data - other.data, (self, 1.0), (other, -1.0))
""",
    ),
    ("        return -self + other\n", "        return _as_value(other) - self\n"),
    ("        return self * other**-1\n", _QUOTIENT),
    ("        return self**-1 * other\n", "        return _as_value(other) / self\n"),
)

MISTAKES = [
    Mistake(
        "quotient-without-the-square",
        find="        return self * other**-1\n",
        replace=_QUOTIENT.replace("-self.data / other.data**2", "-self.data / other.data"),
        says="The derivative of a / b by b is -a / b in your answer. It is -a / b**2.",
    ),
    *(
        Mistake(
            f"{id}{ending}",
            find="        return self * other**-1\n",
            replace=_QUOTIENT.replace("-self.data / other.data**2", derivative),
            also=also,
            says=f"The derivative of a / b by b is {words} in your answer{where}. It is -a / b**2.",
        )
        for id, derivative, words in (
            ("quotient-without-the-numerator", "-1 / other.data**2", "-1 / b**2, right only where a is 1,"),
            ("quotient-without-the-denominator", "-self.data", "-a"),
            ("quotient-derived-like-one-over-it", "1 / other.data", "1 / b, as that by a is,"),
        )
        for ending, also, where in (
            ("", (), ""),
            (
                "-of-numbers-too",
                (("        return self**-1 * other\n", "        return _as_value(other) / self\n"),),
                ", where a is a plain number too",
            ),
        )
    ),
    Mistake(
        "quotient-without-the-square-of-numbers-too",
        find="        return self * other**-1\n",
        replace=_QUOTIENT.replace("-self.data / other.data**2", "-self.data / other.data"),
        also=(("        return self**-1 * other\n", "        return _as_value(other) / self\n"),),
        says="The derivative of a / b by b is -a / b in your answer, where a is a plain number too. It is "
        "-a / b**2.",
    ),
    Mistake(
        "power-without-the-minus-one-quotients-right",
        find="exponent * self.data ** (exponent - 1)",
        replace="exponent * self.data**exponent",
        also=_OF_THEIR_OWN,
        says="Your power rule is n * x**n. The exponent falls by one: n * x**(n - 1).",
    ),
    Mistake(
        "operators-of-their-own-order-not-reversed",
        find="        for node in reversed(order):\n",
        replace="        for node in order:\n",
        also=_OF_THEIR_OWN,
        says="You go through the topological order from the leaves. Backward begins at the root: reversed.",
    ),
    Mistake(
        "operators-of-their-own-level-by-level",
        find="""\
        visit(self)
        self.grad += 1.0
""",
        replace="""\
        order, seen = [self], {self}
        for node in order:
            for source, _ in node._inputs:
                if source not in seen:
                    seen.add(source)
                    order.append(source)
        order.reverse()
        self.grad += 1.0
""",
        also=_OF_THEIR_OWN,
        says="You go through the graph level by level from the root. A Value that is used on two levels "
        "hands on its grad after the first. Sort topologically: each behind its inputs, then go through "
        "from the end.",
    ),
]
