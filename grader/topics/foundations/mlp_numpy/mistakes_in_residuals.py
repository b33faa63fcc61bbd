"""Known wrong versions of `mlp_numpy` that add x to the output."""

from grader.kit import Mistake

_OUTPUT = "        return self._hidden @ self.W2 + self.b2  # (batch, output)"
_GRADIENT = "        return grad_pre @ self.W1.T  # (batch, input)"
_WHERE_IT_FITS = "self.W1.shape[0] == self.W2.shape[1]"
_SAYS = (
    "The residual connection belongs to the transformer block around such a network, which gives what the "
    "second layer gives, whatever its sizes."
)

MISTAKES = [
    Mistake(
        "residual-where-the-sizes-allow",
        find=_OUTPUT,
        replace=f"        return self._hidden @ self.W2 + self.b2 + (x if {_WHERE_IT_FITS} else 0)",
        also=(
            (
                _GRADIENT,
                f"        return grad_pre @ self.W1.T + (grad_output if {_WHERE_IT_FITS} else 0)",
            ),
        ),
        says=f"You add x to the output where output_size equals input_size. {_SAYS}",
    ),
    Mistake(
        "residual-where-the-sizes-allow-in-forward-alone",
        find=_OUTPUT,
        replace=f"        return self._hidden @ self.W2 + self.b2 + (x if {_WHERE_IT_FITS} else 0)",
        says=f"In forward you add x to the output where output_size equals input_size. {_SAYS}",
    ),
]
