"""Known wrong versions of `swiglu` whose gates are right near zero."""

from grader.kit import Mistake

GATE = "F.silu(self.gate_proj(x))"

MISTAKES = [
    Mistake(
        f"silu-of-clamped-gates{ending}",
        find=GATE,
        replace=f"F.silu(self.gate_proj(x).clamp(-{bound}, {bound}))",
        says="Your result is wrong where gates are large: you clamp z in silu, for example, and multiply the "
        "clamped one. A bound may stand in the sigmoid, where it has reached its limit: what is multiplied "
        "by it is z as it came.",
    )
    for ending, bound in (("", 88), ("-of-a-few", 20))
]
