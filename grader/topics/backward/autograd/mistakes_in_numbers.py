"""Known wrong versions of `autograd`: powers by logarithms, products by division, a number over a Value."""

from grader.kit import Mistake

_POWER = "        return _made(self.data**exponent, (self, exponent * self.data ** (exponent - 1)))\n"
_OVER = "        return self**-1 * other\n"
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
    (
        "        return self * other**-1\n",
        """\
        other = _as_value(other)
        return _made(self.data / other.data, (self, 1 / other.data), (other, -self.data / other.data**2))
""",
    ),
    ("        return self**-1 * other\n", "        return _as_value(other) / self\n"),
)

MISTAKES = [
    *(
        Mistake(
            f"power-{id}{derived}{ending}",
            find=_POWER,
            replace=f"""\
        value = math.exp(exponent * math.log({number}))
        return _made(value, (self, {derivative}))
""",
            also=operators,
            says=f"Your power is exp(n * log({text})), {fate}. A negative number has whole powers too: "
            "self.data**n.",
        )
        for id, number, text, fate in (
            (
                "of-the-absolute-number",
                "abs(self.data)",
                "|x|",
                "which loses the sign of a negative number with an odd exponent",
            ),
            ("by-its-logarithm", "self.data", "x", "and a negative number has no logarithm"),
        )
        for derived, derivative in (
            ("", "exponent * value / self.data"),
            ("-derived-rightly", "exponent * self.data ** (exponent - 1)"),
        )
        for ending, operators in (("", ()), ("-quotients-right", _OF_THEIR_OWN))
        if not (id == "by-its-logarithm" and derived)  # which comes to the same
    ),
    *(
        Mistake(
            f"number-over-value-{id}",
            find=_OVER,
            replace=f"        return _made(other / self.data, (self, {derivative}))\n",
            says=f"The derivative of 4 / v by v is {words} in your answer. It is -4 / v**2.",
        )
        for id, derivative, words in (
            (
                "without-the-number",
                "-1 / self.data**2",
                "-1 / v**2, whatever the number is: it is a factor, which stays,",
            ),
            ("without-the-square", "-other / self.data", "-4 / v"),
            ("derived-like-one-over-it", "1 / self.data", "1 / v"),
        )
    ),
    Mistake(
        "product-derived-by-division",
        find="        return _made(self.data * other.data, (self, other.data), (other, self.data))\n",
        replace="""\
        value = self.data * other.data
        return _made(value, (self, value / self.data), (other, value / other.data))
""",
        says="You derive a * b by dividing the product by a factor, which raises where that is 0. The "
        "derivative by a is b itself, for any a.",
    ),
    Mistake(
        "number-over-value-a-leaf",
        find=_OVER,
        replace="        return Value(other / self.data)\n",
        says="Your 4 / v has the right number, but no gradient reaches v: the result does not remember that "
        "it was made from it. The derivative is -4 / v**2.",
    ),
]
