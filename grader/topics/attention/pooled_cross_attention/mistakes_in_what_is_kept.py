"""Known wrong versions of `pooled_cross_attention` that keep something for the next call."""

from grader.kit.families.instance_mistakes import mask_kept, weights_kept

MISTAKES = [
    mask_kept("mask", "~mask"),
    weights_kept("self.k_proj(pooled)"),
]
