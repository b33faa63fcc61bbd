"""Known wrong versions of `ffn` whose gradients are taken before the slope of the activation."""

from grader.kit import Mistake

_UP = "        hidden = self.up_proj(x)  # (..., intermediate_size)\n"
_ACTIVATED = "        hidden = self.activation(hidden)\n"


def _past_the_activation(x: str, weight: str, bias: str) -> tuple[str, str]:
    """The two lines, where the gradients of what is named go past the activation: what is added is zero."""
    arguments = {"x": x, "self.up_proj.weight": weight, "self.up_proj.bias": bias}
    through = ", ".join(name + (".detach()" if past else "") for name, past in arguments.items())
    past = ", ".join(name + ("" if past else ".detach()") for name, past in arguments.items())
    return (
        f"        hidden, past = F.linear({through}), F.linear({past})\n",
        "        hidden = self.activation(hidden) + (past - past.detach())\n",
    )


MISTAKES = [
    Mistake(
        f"{id}-before-the-slope",
        find=_UP,
        replace=_past_the_activation(*past)[0],
        also=((_ACTIVATED, _past_the_activation(*past)[1]),),
        says=f"Your values are right, but {what} taken from the gradient that reaches the activation's "
        "result. Multiply it by the activation's slope first, and go on with that.",
    )
    for id, past, what in (
        ("up-weight-gradient", ("", "past", ""), "the gradient of up_proj's weight is"),
        ("up-bias-gradient", ("", "", "past"), "the gradient of up_proj's bias is"),
        ("up-gradients", ("", "past", "past"), "the gradients of up_proj's weight and bias are"),
        ("input-gradient", ("past", "", ""), "the gradient of x is"),
    )
]
