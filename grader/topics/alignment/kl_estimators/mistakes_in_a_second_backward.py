"""Known wrong versions of `kl_estimators` whose backward pass is right once."""

from dataclasses import replace

from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    replace(mistake, also=tuple((find, f"import torch\n{text}") for find, text in mistake.also))
    for mistake in right_once("return (-difference).exp() - 1 + difference")
]
