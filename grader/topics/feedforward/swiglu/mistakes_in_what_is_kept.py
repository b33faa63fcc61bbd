"""Known wrong versions of `swiglu` that keep something for the next call."""

from grader.kit.families.instance_mistakes import IMPORT_TORCH, weights_kept

MISTAKES = [
    weights_kept("self.up_proj(x)", also=IMPORT_TORCH),
]
