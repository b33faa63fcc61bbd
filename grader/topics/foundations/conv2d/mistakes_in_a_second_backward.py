"""Known wrong versions of `conv2d` whose backward pass is right once."""

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    *right_once(
        "return output if bias is None else output + bias[:, None, None]",
        imports="from torch import Tensor\n",
    ),
]
