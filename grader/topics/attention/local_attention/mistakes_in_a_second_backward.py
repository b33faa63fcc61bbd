"""Known wrong versions of `local_attention` whose backward pass is right once."""

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    *right_once("return torch.cat(results, dim=2)"),
]
