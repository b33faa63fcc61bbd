"""Known wrong versions of `self_attention_v1` whose backward pass is right once."""

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    *right_once("return weights @ value", imports="from torch import Tensor, nn\n"),
]
