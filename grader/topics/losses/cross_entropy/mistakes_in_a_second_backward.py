"""Known wrong versions of `cross_entropy` whose backward pass is right once."""

from dataclasses import replace

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    replace(mistake, also=tuple((find, f"import torch\n{text}") for find, text in mistake.also))
    for mistake in right_once("losses.masked_fill(~kept, 0)", imports="from torch import Tensor\n")
]
