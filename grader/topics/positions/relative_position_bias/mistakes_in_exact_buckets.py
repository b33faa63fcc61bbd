"""Known wrong versions of `relative_position_bias` with another number of exact buckets in T5's."""

from grader.kit import Mistake

EXACT = "    exact = num_buckets // 2\n"

MISTAKES = [
    Mistake(
        "t5-a-quarter-exact-in-one-direction",
        find=EXACT,
        replace="    exact = num_buckets // 2 if bidirectional else num_buckets // 4\n",
        says="Without bidirectional a quarter of num_buckets is exact in yours. That is right for both "
        "directions, where each has half of the buckets; one direction has all n, and e = n / 2 of them are "
        "exact.",
    ),
    Mistake(
        "t5-a-quarter-of-the-direction-exact",
        find=EXACT,
        replace="    exact = num_buckets // 4\n",
        says="Of the n buckets of a direction a quarter is exact in yours: with bidirectional you halve n "
        "before, for example, and then take a quarter of it. It is half of them, e = n / 2.",
    ),
]
