"""Known wrong versions of `mlp_numpy` that write to results given already, or keep old gradients."""

from grader.kit import Mistake

_OUTPUT = "return self._hidden @ self.W2 + self.b2  # (batch, output)"
_GRADIENT = "return grad_pre @ self.W1.T  # (batch, input)"


def _kept(line: str, value: str, name: str) -> tuple[str, str]:
    """The edit that computes into an array which is kept, and gives its first rows."""
    return (
        line,
        f"""\
value = {value}
        if len(getattr(self, "{name}", ())) < len(value):
            self.{name} = np.empty_like(value)
        self.{name}[: len(value)] = value
        return self.{name}[: len(value)]""",
    )


_FORWARD = _kept(_OUTPUT, "self._hidden @ self.W2 + self.b2", "_outputs")
_BACKWARD = _kept(_GRADIENT, "grad_pre @ self.W1.T", "_gradients")

MISTAKES = [
    Mistake(
        f"{name}-written-over",
        find=first[0],
        replace=first[1],
        also=also,
        says=f"The next call writes to what {what} gave earlier: the array is kept and filled anew, for "
        "example, and a slice of it is no copy but a view. Whoever has the earlier result goes on with other "
        "numbers than they had. Give a new array each time.",
    )
    for name, what, first, also in (
        ("outputs", "forward", _FORWARD, ()),
        ("input-gradients", "backward", _BACKWARD, ()),
        ("results", "each of forward and backward", _FORWARD, (_BACKWARD,)),
    )
]

MISTAKES += [
    Mistake(
        "gradients-kept-where-upstream-is-zero",
        find="        grad_hidden = grad_output @ self.W2.T  # (batch, hidden)\n",
        replace="""\
        if self.grads and not grad_output.any():
            return np.zeros_like(self._x)
        grad_hidden = grad_output @ self.W2.T  # (batch, hidden)
""",
        says="Where grad_output is all zeros you leave grads as they were: they are still those of an "
        "earlier call. Its gradients are zeros, and replace the earlier ones.",
    ),
]
