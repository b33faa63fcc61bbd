"""Known wrong versions of `autograd`."""

from grader.kit import Mistake

_LOOP = """\
        for node in reversed(order):
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
"""
_ROOT = "        self.grad += 1.0\n"
_TANH = "        value = math.tanh(self.data)\n"

MISTAKES = [
    Mistake(
        "functions-remembered",
        find="    def exp(self)",
        replace="    @lru_cache\n    def exp(self)",
        also=(
            ("    def tanh(self)", "    @lru_cache\n    def tanh(self)"),
            ("import math\n", "import math\nfrom functools import lru_cache\n"),
        ),
        says="Something of a Value (a function of it, or its reciprocal, for example) is computed once and "
        "remembered: when the leaf's data is overwritten, the old number comes again. Compute it at each "
        "call.",
    ),
    Mistake(
        "grad-overwritten",
        find="                source.grad += derivative * node.grad\n",
        replace="                source.grad = derivative * node.grad\n",
        says="You set the grad of an input instead of adding to it. A Value that is used twice gets two "
        "parts, and grads of earlier calls stay: +=.",
    ),
    Mistake(
        "depth-first-without-order",
        find=_LOOP,
        replace="""\
        waiting, handled = [self], {self}
        while waiting:
            node = waiting.pop()
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
                if source not in handled:
                    handled.add(source)
                    waiting.append(source)
""",
        says="You go from the root to inputs as you find them. A Value then hands on its grad before all "
        "that use it have added their part. Sort topologically first: each behind its inputs, then "
        "go through from the end.",
    ),
    Mistake(
        "breadth-first-without-order",
        find=_LOOP,
        replace="""\
        waiting, handled = [self], {self}
        for node in waiting:
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
                if source not in handled:
                    handled.add(source)
                    waiting.append(source)
""",
        says="You go through the graph level by level from the root. A Value that is used on two levels "
        "hands on its grad after the first. Sort topologically: each behind its inputs, then go "
        "through from the end.",
    ),
    Mistake(
        "grads-handed-on-along-each-path",
        find=_LOOP,
        replace="""\
        def hand_on(node: "Value") -> None:
            for source, derivative in node._inputs:
                source.grad += derivative * node.grad
                hand_on(source)

        hand_on(self)
""",
        says="You recurse into each input as soon as you have added to its grad, and again on every "
        "other path: what had come before is handed on several times. Sort topologically, and "
        "handle each Value once.",
    ),
    Mistake(
        "order-not-reversed",
        find="        for node in reversed(order):\n",
        replace="        for node in order:\n",
        says="You go through the topological order from the leaves. Backward begins at the root: reversed.",
    ),
    Mistake(
        "listed-before-its-inputs",
        find="                seen.add(node)\n",
        replace="                seen.add(node)\n                order.append(node)\n",
        also=(
            ("                order.append(node)  # behind all that it was made from\n", ""),
            ("        for node in reversed(order):\n", "        for node in order:\n"),
        ),
        says="You list a Value before its inputs, in the order of the search. That is no topological "
        "order: a Value that is used later too hands on its grad too early. Append it behind its "
        "inputs, and go through from the end.",
    ),
    Mistake(
        "no-visited-set",
        find="                seen.add(node)\n",
        replace="",
        says="You do not note what the search has seen, so a Value that is used twice is listed twice, "
        "and hands on its grad twice. With 60 doublings the list does not end.",
    ),
    Mistake(
        "root-not-seeded",
        find=_ROOT,
        replace="",
        says="You do not seed the root: its grad stays 0, and so do all others. The derivative of a "
        "Value by itself is 1.",
    ),
    Mistake(
        "root-set-to-one",
        find=_ROOT,
        replace="        for node in order:\n            node.grad = 0.0\n        self.grad = 1.0\n",
        says="You set all grads of the graph to 0 before each backward. Two results may share leaves: "
        "grads are added to what is there.",
    ),
    Mistake(
        "radd-missing",
        find='    def __radd__(self, other: float) -> "Value":\n        return self + other\n',
        replace='    def __radd__(self, other: float) -> "Value":\n        return NotImplemented\n',
        says="2 + v does not work: __radd__ is missing. sum() needs it too, it begins with 0.",
    ),
    Mistake(
        "rmul-missing",
        find='    def __rmul__(self, other: float) -> "Value":\n        return self * other\n',
        replace='    def __rmul__(self, other: float) -> "Value":\n        return NotImplemented\n',
        says="3 * v does not work: __rmul__ is missing.",
    ),
    Mistake(
        "rsub-turned",
        find="        return -self + other\n",
        replace="        return self - other\n",
        says="Your 2 - v is v - 2. __rsub__ is called with the number on the left: other - self.",
    ),
    Mistake(
        "rtruediv-turned",
        find="        return self**-1 * other\n",
        replace="        return self / other\n",
        says="Your 4 / v is v / 4. __rtruediv__ is called with the number on the left: other / self.",
    ),
    Mistake(
        "sub-without-the-sign",
        find="        return self + -other\n",
        replace="        return _made((self + -other).data, (self, 1.0), (_as_value(other), 1.0))\n",
        says="The derivative of a - b by b is 1 in your answer. It is -1.",
    ),
    Mistake(
        "product-derivatives-swapped",
        find="(self, other.data), (other, self.data))",
        replace="(self, self.data), (other, other.data))",
        says="The derivative of a * b by a is a in your answer. It is b, and that by b is a.",
    ),
    Mistake(
        "quotient-taken-for-a-product",
        find="        return self * other**-1\n",
        replace="""\
        other = _as_value(other)
        return _made(self.data / other.data, (self, 1 / other.data), (other, self.data / other.data**2))
""",
        says="The derivative of a / b by b has the wrong sign in your answer: it is -a / b**2.",
    ),
    Mistake(
        "power-without-the-minus-one",
        find="exponent * self.data ** (exponent - 1)",
        replace="exponent * self.data**exponent",
        says="Your power rule is n * x**n. The exponent falls by one: n * x**(n - 1).",
    ),
    Mistake(
        "power-without-the-factor",
        find="exponent * self.data ** (exponent - 1)",
        replace="self.data ** (exponent - 1)",
        says="Your power rule is x**(n - 1). The exponent comes in front: n * x**(n - 1).",
    ),
    Mistake(
        "tanh-by-exp",
        find=_TANH,
        replace="        value = (math.exp(2 * self.data) - 1) / (math.exp(2 * self.data) + 1)\n",
        says="You compute tanh by exponentials that overflow, exp(2x) beyond 355 or exp(x) beyond 709. "
        "math.tanh does not, nor does exp(-2 * abs(x)).",
    ),
    Mistake(
        "tanh-derivative-of-the-input",
        find="(self, 1 - value**2))",
        replace="(self, 1 - self.data**2))",
        says="The derivative of tanh is 1 - x**2 in your answer. It is 1 - tanh(x)**2.",
    ),
    Mistake(
        "tanh-derivative-not-squared",
        find="(self, 1 - value**2))",
        replace="(self, 1 - value))",
        says="The derivative of tanh is 1 - tanh(x) in your answer. The square is missing: 1 - tanh(x)**2.",
    ),
    Mistake(
        "exp-derivative-of-the-input",
        find="        return _made(value, (self, value))\n",
        replace="        return _made(value, (self, self.data))\n",
        says="The derivative of exp is x in your answer. It is exp(x), the result itself.",
    ),
    Mistake(
        "log-derivative-of-the-result",
        find="(self, 1 / self.data))",
        replace="(self, 1 / math.log(self.data)))",
        says="The derivative of log is 1 / log(x) in your answer. It is 1 / x.",
    ),
    Mistake(
        "relu-lets-gradients-through",
        find="(self, 1.0 if self.data > 0 else 0.0))",
        replace="(self, 1.0))",
        says="Your relu passes gradients on for negative numbers too. There it is 0 whatever x is: the "
        "derivative is 0.",
    ),
    Mistake(
        "relu-passes-the-number",
        find="(self, 1.0 if self.data > 0 else 0.0))",
        replace="(self, max(self.data, 0.0)))",
        says="Your relu multiplies the gradient by its result. The derivative is 1 where x is positive, "
        "and 0 elsewhere.",
    ),
    Mistake(
        "operand-given-back",
        find="        return _made(self.data + other.data, (self, 1.0), (other, 1.0))\n",
        replace="""\
        if other.data == 0:
            return self
        return _made(self.data + other.data, (self, 1.0), (other, 1.0))
""",
        says="Where the number stays the same (0 + v, v ** 1, for example) you give v itself back. Each "
        "operator gives a new Value: the same one would have the grads of both.",
    ),
    Mistake(
        "grads-set-in-products",
        find="        return _made(self.data * other.data, (self, other.data), (other, self.data))\n",
        replace="""\
        result = _made(self.data * other.data, (self, other.data), (other, self.data))
        result._sets = True
        return result
""",
        also=(
            (
                "                source.grad += derivative * node.grad\n",
                "                before = 0.0 if hasattr(node, '_sets') else source.grad\n"
                "                source.grad = before + derivative * node.grad\n",
            ),
        ),
        says="Your products set the grads of both factors, where your other operations add to them. So v * v "
        "gets one part instead of two, and a factor loses what came from elsewhere: +=.",
    ),
    Mistake(
        "alike-by-number",
        find="            if node not in seen:\n                seen.add(node)\n",
        replace="            if node.data not in seen:\n                seen.add(node.data)\n",
        also=(("        return self * -1\n", "        return _made(-self.data, (self, -1.0))\n"),),
        says="Your search takes two Values with the same number for one (because they are compared by data, "
        "or by data and grad as a dataclass does, for example), and leaves the second out. What is seen is "
        "the object: compare by identity.",
    ),
    Mistake(
        "tape-never-cleared",
        find="    result._inputs = inputs\n",
        replace="    result._inputs = inputs\n    _TAPE.append(result)\n",
        also=(
            ("class Value:\n", "_TAPE = []\n\n\nclass Value:\n"),
            ("        for node in reversed(order):\n", "        for node in reversed(_TAPE):\n"),
        ),
        says="All operations stand on one tape, and each backward goes through all of it: graphs of earlier "
        "calls hand on their grads once more. Go through what this root was made from only.",
    ),
]
