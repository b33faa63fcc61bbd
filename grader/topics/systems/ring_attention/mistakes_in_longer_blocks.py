"""Known wrong versions of `ring_attention`: what tiles leave over of a longer block."""

from grader.kit.families.attention.mistakes import block_mistakes

MISTAKES = [
    *block_mistakes.rest_left_out(
        "query.shape[2]",
        "query.shape[2]",
        product="weights @ values[rank]",
        scores="query @ keys[rank].transpose(-2, -1)",
    ),
]
