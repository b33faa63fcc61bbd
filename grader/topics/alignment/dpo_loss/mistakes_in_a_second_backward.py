"""Known wrong versions of `dpo_loss` whose backward pass is right once."""

from dataclasses import replace

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    replace(mistake, also=tuple((find, f"import torch\n{text}") for find, text in mistake.also))
    for mistake in right_once(
        "return chosen.masked_fill(~kept, 0).sum(dim=-1)", imports="from torch import Tensor\n"
    )
]
