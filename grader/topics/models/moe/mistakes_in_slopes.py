"""Known wrong versions of `moe` whose SiLU has a backward pass of its own, with another slope."""

from grader.kit import Mistake
from grader.kit.families.feedforward import silu_by_hand

CLASS = "class _Expert(nn.Module):\n"

MISTAKES = [
    Mistake(
        f"silu-slope-{id}",
        find="F.silu(",
        replace="_SiLU.apply(",
        also=((CLASS, silu_by_hand(slope, "_SiLU") + CLASS),),
        says=f"Your values are right, but the slope of silu in your backward pass is {written}. With s = "
        "sigmoid(z) it is s + z * s * (1 - s): both factors of z * s depend on z.",
    )
    for id, slope, written in (
        ("of-the-factor-left-out", "s", "the sigmoid alone"),
        ("of-the-sigmoid", "s * (1 - s)", "that of the sigmoid, s * (1 - s)"),
        ("of-the-sigmoid-times-z", "z * s * (1 - s)", "z * s * (1 - s) alone"),
        ("without-z", "s + s * (1 - s)", "s + s * (1 - s), without the z"),
    )
]
