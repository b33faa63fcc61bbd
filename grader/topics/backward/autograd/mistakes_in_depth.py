"""Known wrong versions of `autograd` that go too deep, or give an operand back."""

from grader.kit import Mistake

_VISIT = "                    visit(source)\n"
_LOOKED = "        visit(self)\n"
_SAYS = (
    "Your recursion is too deep for {what}: Python allows some 1000 calls inside each other. Each Value "
    "should cost one call (not one more in a helper or a generator), and each operator at most two Values; "
    "or search with a list of your own in place of recursion."
)

MISTAKES = [
    *(
        Mistake(
            id_,
            find=_VISIT,
            replace="                    look_at(source, 0)\n",
            also=(
                (
                    _LOOKED,
                    f"""\
        def look_at(node: "Value", deeper: int) -> None:
            if deeper < {calls}:
                look_at(node, deeper + 1)
            else:
                visit(node)

{_LOOKED}""",
                ),
            ),
            says=_SAYS.format(what=what),
        )
        for id_, calls, what in (
            ("two-calls-for-each-value", 0, "300 times v = 1 - v, though not for 300 products"),
            ("many-calls-for-each-value", 3, "a chain of 300 operations"),
        )
    ),
    Mistake(
        "relu-gives-its-operand-back",
        find="        return _made(max(self.data, 0.0), (self, 1.0 if self.data > 0 else 0.0))\n",
        replace="        return self if self.data > 0 else _made(0.0, (self, 0.0))\n",
        says="Where the number is positive, your relu gives the Value itself back. Each method gives a new "
        "one: the same one would have the grads of both.",
    ),
]
