"""Known wrong versions of `sdpa`: what is left over of a long sequence."""

from grader.kit.families.attention.mistakes import block_mistakes

MISTAKES = [
    *block_mistakes.rest_left_out(
        "query.shape[-2]", "key.shape[-2]", blocks=(4, 16, 128), with_one_at_least=(4, 16, 128)
    ),
]
