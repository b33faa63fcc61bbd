"""Known wrong versions of `mlp_numpy` that write to results which they have given already."""

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
