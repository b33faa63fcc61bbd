"""Known wrong versions of `decoder_layer` whose backward pass is right once."""

from dataclasses import replace

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    replace(mistake, also=tuple((find, f"import torch\n{text}") for find, text in mistake.also))
    for mistake in right_once("return self.o_proj(context)", imports="from torch import Tensor, nn\n")
]
