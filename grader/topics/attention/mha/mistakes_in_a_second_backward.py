"""Known wrong versions of `mha` whose backward pass is right once."""

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    *right_once("return self.o_proj(context)", imports="from torch import Tensor, nn\n"),
]
