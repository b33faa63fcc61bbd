"""Known wrong versions of `bce` whose backward pass is right once."""

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    *right_once("pos_weight * target * loss_if_1 + (1 - target) * loss_if_0"),
]
