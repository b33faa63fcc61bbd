"""Known wrong versions of `alibi` that miss the power of two which the number of heads is itself."""

from grader.kit import Mistake

CLOSEST = "1 << (num_heads.bit_length() - 1)  #"

MISTAKES = [
    Mistake(
        "powers-of-two-put-together",
        find=CLOSEST,
        replace="1 << max((num_heads - 1).bit_length() - 1, 0)  #",
        says="You treat powers of two like other numbers: 8 heads get the slopes of 4, then those between, "
        "which are the right ones in a wrong order. Look for the largest power of two that is at most "
        "num_heads: for 8 that is 8 itself, and its slopes are 2^(-8 i / n) in this order.",
    ),
]
