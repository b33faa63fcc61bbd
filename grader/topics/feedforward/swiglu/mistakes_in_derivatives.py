"""Known wrong versions of `swiglu` whose values are right, and a derivative is not."""

from grader.kit import Mistake
from grader.kit.families.feedforward import silu_by_hand

CLASS = "class SwiGLU(nn.Module):"


def by_hand(id: str, slope: str, says: str) -> Mistake:
    """`slope`: the derivative, an expression in the gate z and its sigmoid s."""
    return Mistake(
        id,
        find=CLASS,
        replace=silu_by_hand(slope) + CLASS,
        also=(
            ("F.silu(self.gate_proj(x))", "SiLU.apply(self.gate_proj(x))"),
            ("import torch.nn.functional as F\n", "import torch\nimport torch.nn.functional as F\n"),
        ),
        says=f"Your values are right, but the derivative of silu {says}. With s = sigmoid(z) it is "
        "s + z * s * (1 - s).",
    )


MISTAKES = [
    Mistake(
        "value-gets-the-gate-before-silu",
        find="        hidden = gate * up",
        replace="        hidden = gate * up.detach() + self.gate_proj(x).detach() * (up - up.detach())",
        says="Your values are right, but the gradient that reaches up_proj is multiplied by the gate as it "
        "was before silu. The value was multiplied by silu(gate), and that is its derivative.",
    ),
    by_hand(
        "derivative-without-the-gate",
        "s + s * (1 - s)",
        "lacks a factor z: yours is s + s * (1 - s)",
    ),
    by_hand(
        "derivative-of-the-sigmoid",
        "s * (1 - s)",
        "is that of its sigmoid, s * (1 - s), as if silu were no product with z",
    ),
    by_hand(
        "sigmoid-taken-for-a-constant",
        "s",
        "is the sigmoid itself, as if that were a constant (detached, for example)",
    ),
]
