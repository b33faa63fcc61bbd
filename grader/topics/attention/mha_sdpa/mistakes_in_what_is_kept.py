"""Known wrong versions of `mha_sdpa` that keep something for the next call."""

from grader.kit.families.instance_mistakes import IMPORT_TORCH, mask_kept, weights_kept

MISTAKES = [
    mask_kept("mask", "mask.bool()"),
    weights_kept("self.o_proj(context)", also=IMPORT_TORCH),
]
