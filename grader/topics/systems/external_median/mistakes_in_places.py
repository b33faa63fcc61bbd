"""Wrong versions of `external_median` that take n among other numbers in later passes, or never read."""

from grader.kit import Mistake

RANK = """\
        if rank is None:
            n = sum(counts)
            if n == 0:
                raise ValueError("an empty stream has no median")
            rank = (n - 1) // 2
"""
BUCKET = """\
            rank -= counts[bucket]
            bucket += 1
"""

MISTAKES = [
    Mistake(
        "all-numbers-held-in-an-array",
        find="    rank = None  # of the median, among the numbers in [low, high]\n",
        replace="""\
    n = sum(1 for _ in read())
    if n == 0:
        raise ValueError("an empty stream has no median")
    return sorted(array("q", read()))[(n - 1) // 2]
    rank = None
""",
        also=(("from collections.abc", "from array import array\nfrom collections.abc"),),
        says="Your values are right, but you hold as many numbers as the stream has (in an array, for "
        "example, once they are counted). Eight bytes for each are as much as the stream: keep how many "
        "numbers fall into each bucket, and read again.",
    ),
    Mistake(
        "median-of-the-bucket-less-those-below",
        find=RANK,
        replace="""\
        n = sum(counts)
        if n == 0:
            raise ValueError("an empty stream has no median")
        below = 0 if rank is None else below
        rank = seen = max((n - 1) // 2 - below, 0)
""",
        also=((BUCKET, f"{BUCKET}        below += seen - rank\n"),),
        says="From the second pass on you count n among the numbers in the bucket, but take off those below "
        "it, which are not among them. Either n is of all numbers, and those below are taken off, or "
        "the place in the bucket is kept from the pass before.",
    ),
    Mistake(
        "median-of-the-bucket-less-those-below-maybe-negative",
        find=RANK,
        replace="""\
        n = sum(counts)
        if rank is None and n == 0:
            raise ValueError("an empty stream has no median")
        below = 0 if rank is None else below
        rank = seen = (n - 1) // 2 - below
""",
        also=((BUCKET, f"{BUCKET}        below += seen - rank\n"),),
        says="From the second pass on you take those below the bucket off the middle of the numbers in it, "
        "which can give a place below 0. They are not among these: count n once, among all numbers, or keep "
        "the place in the bucket from the pass before.",
    ),
    Mistake(
        "empty-stream-of-one-integer-accepted",
        find="    while rank is None or low < high:",
        replace="    while low < high:",
        says="Where low is high you give it without reading, so an empty stream has a median there. It has "
        "none: read once all the same, and raise a ValueError where nothing comes.",
    ),
    Mistake(
        "width-rounded-up-from-a-float",
        find="width = -(-(high - low + 1) // buckets)  # rounded up, without a float",
        replace="width = math.ceil((high - low + 1) / buckets)",
        also=(("from collections.abc", "import math\nfrom collections.abc"),),
        says="You divide with / and round up (math.ceil). A float has 53 bits: for a wide range the width "
        "is too small, and the last numbers fall behind the last bucket. -(-a // b) rounds up in whole "
        "numbers.",
    ),
    *(
        Mistake(
            f"width-and-index-as-floats{ending}",
            find="width = -(-(high - low + 1) // buckets)  # rounded up, without a float",
            replace="width = max(1, math.ceil((high - low + 1) / buckets))",
            also=(
                *edits,
                (
                    "counts[(number - low) // width] += 1",
                    "counts[min(int((number - low) / width), buckets - 1)] += 1",
                ),
                ("from collections.abc", "import math\nfrom collections.abc"),
            ),
            says="You divide with /, for the width and to find the bucket of a number. Both are floats of 53 "
            "bits: in a range of more bits, numbers right below a boundary land in the next bucket. Use //.",
        )
        for ending, edits in (
            ("", ()),
            (
                "-and-no-further-than-the-last",
                (
                    (
                        "while rank >= counts[bucket]:",
                        "while bucket < buckets - 1 and rank >= counts[bucket]:",
                    ),
                ),
            ),
        )
    ),
    Mistake(
        "passes-from-a-float-logarithm",
        find="    rank = None  # of the median, among the numbers in [low, high]\n",
        replace="""\
    top, rank = high, None
    passes = max(1, math.ceil(math.log(high - low + 1) / math.log(buckets)))
    for level in reversed(range(passes)):
        width = buckets**level
        high = top if rank is None else low + width * buckets - 1
        counts = [0] * buckets
        n = 0
        for number in read():
            if low <= number <= high:
                n += 1
                if number - low < width * buckets:
                    counts[(number - low) // width] += 1
        if rank is None:
            if n == 0:
                raise ValueError("an empty stream has no median")
            rank = (n - 1) // 2
        bucket = 0
        while bucket < buckets - 1 and rank >= counts[bucket]:
            rank -= counts[bucket]
            bucket += 1
        low += bucket * width
    return low
""",
        also=(("from collections.abc", "import math\nfrom collections.abc"),),
        says="Where the range has a few integers more than a power of buckets, your passes are one too few "
        "to reach the largest: you take their number from a logarithm, for example, which is a float and "
        "comes out too small there. Count in whole numbers: while buckets**passes < high - low + 1.",
    ),
    Mistake(
        "narrowed-as-often-as-a-float-logarithm-says",
        find="    while rank is None or low < high:",
        replace="    for _ in range(max(1, math.ceil(math.log(high - low + 1) / math.log(buckets) - 1e-9))):",
        also=(("from collections.abc", "import math\nfrom collections.abc"),),
        says="Where the range has a few integers more than a power of buckets, you stop a pass too early, "
        "with more than one integer left: you take the number of passes from a logarithm, for example, which "
        "is a float and comes out too small there. Go on while low < high, or count in whole numbers: while "
        "buckets**passes < high - low + 1.",
    ),
    Mistake(
        "rest-of-the-last-bucket-lost",
        find="width = -(-(high - low + 1) // buckets)  # rounded up, without a float",
        replace="width = max((high - low + 1) // buckets, 1)",
        also=(
            (
                "counts[(number - low) // width] += 1",
                "counts[min((number - low) // width, buckets - 1)] += 1",
            ),
            ("while rank >= counts[bucket]:", "while bucket < buckets - 1 and rank >= counts[bucket]:"),
            ("high = min(low + width - 1, high)", "high = low + width - 1"),
        ),
        says="Where buckets does not divide the range, you round the width down and count the rest in the "
        "last bucket, but go on in it as if it were as wide as the others: numbers in the rest are then "
        "left out. Round up, -(-(high - low + 1) // buckets), or let the last bucket reach to high.",
    ),
    Mistake(
        "alone-in-its-bucket",
        find="        high = min(low + width - 1, high)\n",
        replace="""\
        high = min(low + width - 1, high)
        if counts[bucket] == 1:
            break
""",
        says="Where one number alone is in the median's bucket, you give the bucket's lower end. The median "
        "is that number itself: go on until the bucket has one integer, or read again and give the number.",
    ),
    Mistake(
        "differences-in-int64",
        find="""\
            if low <= number <= high:
                counts[(number - low) // width] += 1
""",
        replace="""\
            difference = np.array([number], dtype=np.int64) - low
            bucket = difference // width
            if 0 <= difference[0] <= high - low:
                counts[bucket[0]] += 1
""",
        also=(("from collections.abc", "import numpy as np\nfrom collections.abc"),),
        says="Your number - low is an int64, for example that of a NumPy array. Where high - low needs 64 "
        "bits it wraps around below 0, so large numbers are left out. Python's own integers have no end.",
    ),
    *(
        Mistake(
            f"numbers-{side}-counted-in-an-array",
            find="            if low <= number <= high:",
            replace=f"            if {kept}:",
            also=(
                ("counts = [0] * buckets", 'counts = array("q", [0]) * buckets'),
                ("from collections.abc", "from array import array\nfrom collections.abc"),
            ),
            says=says,
        )
        for side, kept, says in [
            (
                "below",
                "number <= high",
                "From the second pass on you do not leave out the numbers below the chosen bucket. Their "
                "index is negative, which Python takes from the end of the array.",
            ),
            (
                "above",
                "low <= number",
                "From the second pass on you do not leave out the numbers above the chosen bucket. Their "
                "index is beyond the end of the array.",
            ),
        ]
    ),
    Mistake(
        "upper-end-from-the-lower-end-moved",
        find="high = min(low + width - 1, high)",
        replace="high = min(low + (bucket + 1) * width - 1, high)",
        says="Your values are right, but you read the stream too often: the range shrinks too slowly, for "
        "example because a bucket's upper end is taken from a low that has moved already. It is low + "
        "(bucket + 1) * width - 1 with the low of before, or low + width - 1 with the new one.",
    ),
    Mistake(
        "bucket-from-a-float-quotient",
        find="        width = -(-(high - low + 1) // buckets)  # rounded up, without a float",
        replace="        size = high - low + 1",
        also=(
            ("counts[(number - low) // width] += 1", "counts[int((number - low) / size * buckets)] += 1"),
            (
                "        low += bucket * width\n        high = min(low + width - 1, high)",
                "        high = low - (-(bucket + 1) * size // buckets) - 1\n"
                "        low -= -bucket * size // buckets",
            ),
        ),
        says="You find the bucket of a number with a float: int((number - low) / size * buckets). A float "
        "has 53 bits: in a wide range numbers fall into a neighbour's bucket, or behind the last one. Whole "
        "numbers have all digits: (number - low) * buckets // size.",
    ),
]
