"""Known wrong versions of `autograd` by what they note of an operation, or of an overflow."""

from grader.kit import Mistake

_NOTED = "    result._inputs = inputs\n"
_DIFFERENCE = (
    "        return self + -other\n",
    """\
        other = _as_value(other)
        return _made(self.data - other.data, (self, 1.0), (other, -1.0))
""",
)
_QUOTIENT = (
    "        return self * other**-1\n",
    """\
        other = _as_value(other)
        slope = -self.data / other.data**2
        return _made(self.data / other.data, (self, 1 / other.data), (other, slope))
""",
)

MISTAKES = [
    *(
        Mistake(
            f"one-part-of-an-operand-on-both-sides{ending}",
            find=_NOTED,
            replace="    result._inputs = tuple(dict(inputs).items())\n",
            also=also,
            says="Where both operands are the same Value (v + v, v * v) it gets one part instead of two: a "
            "dict or a set of the inputs holds it once, for example. Keep a list of pairs, and add each.",
        )
        for ending, also in (("", ()), ("-of-any-operator", (_DIFFERENCE, _QUOTIENT)))
    ),
    Mistake(
        "tape-emptied-by-backward",
        find=_NOTED,
        replace=f"{_NOTED}    _TAPE.append(result)\n",
        also=(
            ("class Value:\n", "_TAPE = []\n\n\nclass Value:\n"),
            (
                """\
        for node in reversed(order):
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
""",
                """\
        for node in reversed(_TAPE):
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
        _TAPE.clear()
""",
            ),
        ),
        says="Backward takes away what other results need that were computed before it: all operations stand "
        "on one tape, for example, which it empties, so the next root finds nothing. Each Value has to hold "
        "what it was made from.",
    ),
    Mistake(
        "tanh-of-very-negative-numbers-is-one",
        find="        value = math.tanh(self.data)\n",
        replace="        value = math.tanh(self.data) if self.data > -354 else 1.0\n",
        says="Your tanh of a large negative number is 1: exp(-2 * v) overflows there, for example, and you "
        "answer that with 1. It is -1 there. math.tanh does not overflow.",
    ),
    Mistake(
        "tanh-of-very-large-numbers-is-minus-one",
        find="        value = math.tanh(self.data)\n",
        replace="        value = math.tanh(self.data) if self.data < 354 else -1.0\n",
        says="Your tanh of a large positive number is -1: exp(2 * v) overflows there, for example, and you "
        "answer that with -1. It is 1 there. math.tanh does not overflow.",
    ),
]
