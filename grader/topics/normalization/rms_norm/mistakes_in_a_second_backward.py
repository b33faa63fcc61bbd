"""Known wrong versions of `rms_norm` whose backward passes are right where they run once and alone."""

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    *right_once("return (self.weight * normalized).to(x.dtype)", imports="from torch import Tensor, nn\n"),
]
