"""Known wrong versions of `external_median`: numbers at the edges of buckets, and places beyond the last."""

from grader.kit import Mistake

WALK = """\
        while rank >= counts[bucket]:  # the median is above this bucket, and so are all that follow
            rank -= counts[bucket]
            bucket += 1
"""

MISTAKES = [
    *(
        Mistake(
            f"rank-not-lowered-and-the-last-{id}",
            find="        bucket = 0\n" + WALK,
            replace=f"""\
        below, bucket = 0, {fallback}
        for place, count in enumerate(counts):
            below += count
            if below > rank:
                bucket = place
                break
""",
            says="You look for the same place in the second pass as in the first, and where it is beyond the "
            f"numbers of the bucket you take {what}. Inside of a bucket the places start at 0 again: take "
            "off what is counted in the buckets below.",
        )
        for id, fallback, what in (
            (
                "bucket-with-numbers",
                "max(place for place, count in enumerate(counts) if count)",
                "the last part with a number in it",
            ),
            ("bucket", "(high - low) // width", "the last part"),
        )
    ),
    *(
        Mistake(
            f"lower-ends-in-the-bucket-before{id}",
            find="                counts[(number - low) // width] += 1\n",
            replace=f"                counts[{place}] += 1\n",
            also=(
                ("counts = [0] * buckets", "counts = [0] * len(range(low, high + 1, width))"),
                (
                    WALK,
                    """\
        while bucket < len(counts) - 1 and rank >= counts[bucket]:
            rank -= counts[bucket]
            bucket += 1
""",
                ),
            ),
            says="You count a number that equals the lower end of a bucket in the one before"
            f"{what}. bisect_left on the lower ends minus 1 does that, for example: it is bisect_right - 1, "
            "or (number - low) // width.",
        )
        for id, place, what in (
            ("-or-in-the-last", "(number - low - 1) // width", ", and low itself in the last"),
            ("", "max((number - low - 1) // width, 0)", ""),
        )
    ),
    Mistake(
        "upper-ends-in-the-bucket-behind",
        find="                counts[(number - low) // width] += 1\n",
        replace="                counts[min((number - low + 1) // width, (high - low) // width)] += 1\n",
        also=((WALK, WALK.replace("while rank", "while bucket < (high - low) // width and rank")),),
        says="You count a number that equals the upper end of a bucket in the one behind it. bisect_right on "
        "the upper ends does that, for example, where they belong to their buckets: it is bisect_left then, "
        "or (number - low) // width.",
    ),
]
