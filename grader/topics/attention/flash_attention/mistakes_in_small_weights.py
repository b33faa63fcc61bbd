"""Known wrong versions of `flash_attention` that leave small weights or corrections out."""

from grader.kit.families.attention.mistakes.block_mistakes import what_is_small_left_out

MISTAKES = [*what_is_small_left_out("largest", "k_start > 0")]
