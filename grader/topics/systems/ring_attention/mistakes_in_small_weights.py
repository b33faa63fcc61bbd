"""Known wrong versions of `ring_attention` that leave small weights or corrections out."""

from grader.kit.families.attention.mistakes.block_mistakes import what_is_small_left_out

MISTAKES = [*what_is_small_left_out("largest[rank]", "step > 0")]
