"""Known wrong versions of `gqa` that keep something for the next call."""

from grader.kit.families.instance_mistakes import (
    mask_kept,
    mask_of_the_tensor_kept,
    weights_kept,
    weights_kept_in_evaluation,
)

MISTAKES = [
    mask_kept("mask", "~mask"),
    mask_of_the_tensor_kept("mask", "~mask"),
    weights_kept_in_evaluation("self.q_proj(x)", "self.k_proj(x)", "self.v_proj(x)"),
    weights_kept("self.k_proj(x)"),
]
