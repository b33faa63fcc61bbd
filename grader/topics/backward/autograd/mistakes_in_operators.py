"""Known wrong versions of single operators of `autograd`, and of where grads end up."""

from grader.kit import Mistake

_RSUB = "        return -self + other\n"
_RADD = '    def __radd__(self, other: float) -> "Value":\n'
_ADDED = "                source.grad += derivative * node.grad\n"

MISTAKES = [
    Mistake(
        "number-minus-value-without-the-sign",
        find=_RSUB,
        replace="        return _made(other - self.data, (self, 1.0))\n",
        says="The derivative of 2 - v by v is 1 in your answer. It is -1; that of v - 2 is 1.",
    ),
    Mistake(
        "number-minus-value-a-leaf",
        find=_RSUB,
        replace="        return Value(other - self.data)\n",
        says="Your 2 - v has the right number, but no gradient reaches v: the result does not remember that "
        "it was made from it. The derivative is -1.",
    ),
    Mistake(
        "number-over-value-without-the-sign",
        find="        return self**-1 * other\n",
        replace="        return _made(other / self.data, (self, other / self.data**2))\n",
        says="The derivative of 4 / v by v has the wrong sign in your answer: it is -4 / v**2.",
    ),
    Mistake(
        "difference-derived-like-a-product",
        find="        return self + -other\n",
        replace="        other = _as_value(other)\n"
        "        return _made(self.data - other.data, (self, 1.0), (other, -other.data))\n",
        says="The derivative of a - b by b is -b in your answer. It is -1, whatever b is.",
    ),
    Mistake(
        "divisor-without-gradient",
        find="        return self * other**-1\n",
        replace="        return self * (other.data if isinstance(other, Value) else other) ** -1\n",
        says="Your a / b divides by the number of b alone, so no gradient reaches b. It is -a / b**2.",
    ),
    Mistake(
        "whole-quotient",
        find="        return self * other**-1\n",
        replace="        return self * (other**-1 if isinstance(other, Value) else 1 // other)\n",
        says="Your v / 4 divides by // somewhere, which rounds down. Division is / here, also of ints.",
    ),
    Mistake(
        "sum-without-the-right-side",
        find="        return _made(self.data + other.data, (self, 1.0), (other, 1.0))\n",
        replace="        return _made(self.data + other.data, (self, 1.0))\n",
        says="Your a + b hands its grad to a alone. The derivative by b is 1, too.",
    ),
    Mistake(
        "square-derived-once",
        find="        return _made(self.data * other.data, (self, other.data), (other, self.data))\n",
        replace="        sources = {self: other.data, other: self.data}  # one entry where both are one\n"
        "        return _made(self.data * other.data, *sources.items())\n",
        says="Your v * v hands its grad to v once (a set or a dict of the inputs holds v once, for example). "
        "It is used on both sides: 2 * v.",
    ),
    Mistake(
        "difference-of-itself",
        find="        return self + -other\n",
        replace="        other = _as_value(other)\n"
        "        sources = {self: 1.0, other: -1.0}  # one entry where both are one\n"
        "        return _made(self.data - other.data, *sources.items())\n",
        says="The derivative of v - v by v is -1 in your answer (a dict of the inputs holds v once, for "
        "example). v is used on both sides, and the parts cancel: 0.",
    ),
    Mistake(
        "log-of-a-little-more",
        find="_made(math.log(self.data), (self, 1 / self.data))",
        replace="_made(math.log(self.data + 1e-8), (self, 1 / (self.data + 1e-8)))",
        says="You add an epsilon inside log, which shows for small numbers. It is the logarithm of the "
        "number itself.",
    ),
    Mistake(
        "log-to-base-ten",
        find="        return _made(math.log(self.data), (self, 1 / self.data))\n",
        replace="        return _made(math.log10(self.data), (self, 1 / self.data))\n",
        says="Your log is to base 10, its derivative that of the natural one, which is asked for: math.log.",
    ),
    Mistake(
        "floats-alone-wrapped",
        find="    return number if isinstance(number, Value) else Value(number)\n",
        replace="    return Value(number) if isinstance(number, float) else number\n",
        says="You make Values of floats, and take an int for a Value: 2 + v then asks the int for its data. "
        "Ask whether it is a Value, and wrap everything else.",
    ),
    Mistake(
        "grads-of-leaves-alone",
        find=_ADDED,
        replace=_ADDED + "            if node._inputs:\n                node.grad = 0.0\n",
        says="What was computed has a grad of 0 after backward, the root too: you keep those of leaves, as "
        "torch does. Here every Value that the root was made from gets its own, and the root 1.",
    ),
    Mistake(
        "added-in-place",
        find=_RADD,
        replace="""\
    def __iadd__(self, other: "Value | float") -> "Value":
        other, before = _as_value(other), _made(self.data, *self._inputs)
        self.data += other.data
        self._inputs = (before, 1.0), (other, 1.0)
        return self

"""
        + _RADD,
        says="Your a += b writes into the old Value (with an __iadd__, for example), and all that hold it "
        "have another number. Without __iadd__ Python takes a + b, a new Value.",
    ),
    Mistake(
        "alike-by-number-once-listed",
        find="            if node not in seen:\n                seen.add(node)\n",
        replace="            if (node.data, node.grad) not in [(each.data, each.grad) for each in order]:\n",
        says="Your search takes two Values with the same number for one (because `in` asks a list whether "
        "one of its Values is equal, and a dataclass compares data and grad, for example), and leaves the "
        "second out where the first is listed already. What is seen is the object: compare by identity.",
    ),
]
