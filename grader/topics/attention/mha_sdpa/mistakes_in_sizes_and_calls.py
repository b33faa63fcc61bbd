"""Known wrong versions of `mha_sdpa` for whom a size of 1 is no size, or a call like the one before."""

from grader.kit.families.attention.mistakes import lone_token_mistakes, squeezed_mistakes
from grader.kit.families.instance_mistakes import IMPORT_TORCH, mask_kept, weights_kept

MISTAKES = [
    squeezed_mistakes.result_squeezed("self.o_proj(context)"),
    *lone_token_mistakes.partly_projected("query, key, value = self.qkv_proj(x)"),
    mask_kept("mask", "mask.bool()"),
    weights_kept("self.o_proj(context)", also=IMPORT_TORCH),
]
