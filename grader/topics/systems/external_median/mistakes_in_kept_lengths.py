"""Known wrong versions of `external_median`: digits of whole bits, and a length from an earlier call."""

from grader.kit import Mistake

LOOP = "    rank = None  # of the median, among the numbers in [low, high]\n"

MISTAKES = [
    Mistake(
        "lower-power-of-two-of-buckets",
        find=LOOP,
        replace=f"    buckets = 1 << (buckets.bit_length() - 1)\n{LOOP}",
        says="Your values are right, but where buckets is no power of two you read the stream too often: you "
        "count in fewer parts, by digits of whole bits, for example, so that 3 buckets work like 2. Count in "
        "as many parts as there are buckets.",
    ),
    Mistake(
        "length-kept-between-calls",
        find="rank = (n - 1) // 2",
        replace="rank = (_LENGTHS.setdefault(read, n) - 1) // 2",
        also=(("def external_median(", "_LENGTHS = {}\n\n\ndef external_median("),),
        says="You keep for each read how many numbers there are, from one call to the next (functools.cache, "
        "for example). The stream may be another one by then: count anew in each call.",
    ),
    Mistake(
        "half-reached-by-a-sum-of-shares",
        find="            rank = (n - 1) // 2\n",
        replace="            rank = below = 0.0\n",
        also=(
            (
                """\
        bucket = 0
        while rank >= counts[bucket]:  # the median is above this bucket, and so are all that follow
            rank -= counts[bucket]
            bucket += 1
""",
                """\
        share = below
        for place, count in enumerate(counts):
            if count:
                bucket, below = place, share
                share += count / n
                if share >= 0.5:
                    break
""",
            ),
        ),
        says="You add up shares of the numbers, floats, until they reach one half. Their sum is rounded: ten "
        "times 1 / 20 is a little less than 0.5, and you go one too far. Count numbers, which are whole, up "
        "to the place (n - 1) // 2.",
    ),
]
