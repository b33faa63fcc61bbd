"""Known wrong versions of `self_attention_v3` that keep something for the next call."""

from grader.kit.families.instance_mistakes import mask_kept, mask_of_the_tensor_kept, weights_kept

MISTAKES = [
    mask_kept("mask", "~mask"),
    mask_of_the_tensor_kept("mask", "~mask"),
    weights_kept("self.qkv_proj(x)"),
]
