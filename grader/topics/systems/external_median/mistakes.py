"""Known wrong versions of `external_median`."""

from grader.kit import Mistake

LOOP = "    rank = None  # of the median, among the numbers in [low, high]\n"

MISTAKES = [
    Mistake(
        "all-numbers-held",
        find=LOOP,
        replace="""\
    numbers = sorted(read())
    if not numbers:
        raise ValueError("an empty stream has no median")
    return numbers[(len(numbers) - 1) // 2]
    rank = None
""",
        says="Your values are right, but you hold as many numbers as the stream has (for example in a list "
        "to sort, or in a list for each bucket). It is far larger than memory: keep how many numbers fall "
        "into each bucket, and read again.",
    ),
    Mistake(
        "last-bucket-held",
        find="        high = min(low + width - 1, high)\n",
        replace="""\
        high = min(low + width - 1, high)
        return sorted(number for number in read() if low <= number <= high)[rank]
""",
        says="Your values are right, but you hold all numbers of the median's bucket, to sort them. If the "
        "numbers crowd there, these may be nearly all of the stream. Go on counting until one integer is "
        "left, or collect them only where the count says that there are no more than `buckets`.",
    ),
    Mistake(
        "one-counter-per-integer",
        find=LOOP,
        replace="    buckets = high - low + 1\n" + LOOP,
        says="You have a counter for each integer of the range. In a range of 64 bits there are 2^64. "
        "Have `buckets` counters, each for a part of the range, and split the median's part again.",
    ),
    Mistake(
        "upper-median",
        find="rank = (n - 1) // 2",
        replace="rank = n // 2",
        says="For an even number of numbers you give the upper one of the two in the middle. The lower one "
        "is asked for: its place is (n - 1) // 2.",
    ),
    Mistake(
        "mean-of-the-middle-two",
        find="    return low\n",
        replace="""\
    above = [number for number in [low] if sum(number <= low for number in read()) <= n // 2 and n % 2 == 0]
    return (low + min(number for number in read() if number > low)) // 2 if above else low
""",
        says="For an even number of numbers you give the mean of the two in the middle. The lower median is "
        "asked for, which is one of the numbers: sorted(numbers)[(n - 1) // 2].",
    ),
    Mistake(
        "place-from-the-range",
        find="rank = (n - 1) // 2",
        replace="rank = 0 if n < 3 else n // 2 - 1",
        says="Your place of the median is one too low where n is odd. It is (n - 1) // 2, counted from 0.",
    ),
    Mistake(
        "rank-not-lowered",
        find="""\
        while rank >= counts[bucket]:  # the median is above this bucket, and so are all that follow
            rank -= counts[bucket]
            bucket += 1
""",
        replace="""\
        below = 0
        while rank >= below + counts[bucket]:
            below += counts[bucket]
            bucket += 1
""",
        says="You look for the same place in the second pass as in the first. Inside of a bucket the places "
        "start at 0 again: take off what is counted in the buckets below.",
    ),
    Mistake(
        "median-of-the-bucket",
        find="        if rank is None:\n            n = sum(counts)",
        replace="        if True:\n            n = sum(counts)",
        says="In each pass you look for the median of the numbers in the bucket. The median of all need not "
        "be the middle one of its bucket: its place there is its place before, less what is counted below.",
    ),
    Mistake(
        "other-numbers-counted",
        find="            if low <= number <= high:\n                counts[(number - low) // width] += 1",
        replace="            counts[min(max((number - low) // width, 0), buckets - 1)] += 1",
        says="From the second pass on you count numbers that are outside of the chosen bucket (in its "
        "first or last counter, for example, or those below it once more). Leave them out: their place is "
        "known.",
    ),
    Mistake(
        "numbers-below-wrap-around",
        find="            if low <= number <= high:",
        replace="            if number <= high:",
        says="From the second pass on you do not leave out the numbers below the chosen bucket. Their index "
        "is negative, which Python takes from the end of the list.",
    ),
    Mistake(
        "numbers-above-not-left-out",
        find="            if low <= number <= high:",
        replace="            if low <= number:",
        says="From the second pass on you do not leave out the numbers above the chosen bucket. Their index "
        "is beyond the last counter.",
    ),
    Mistake(
        "width-rounded-down",
        find="width = -(-(high - low + 1) // buckets)",
        replace="width = max((high - low + 1) // buckets, 1)",
        says="You round the width of a bucket down, so where buckets does not divide the range, its upper "
        "end is beyond the last counter. Round up: -(-(high - low + 1) // buckets).",
    ),
    Mistake(
        "width-without-the-end",
        find="-(-(high - low + 1) // buckets)",
        replace="max(-(-(high - low) // buckets), 1)",
        says="You take high - low for the number of integers in the range. It is high - low + 1, as both "
        "ends belong to it: otherwise high itself may have no counter.",
    ),
    Mistake(
        "high-left-out",
        find="            if low <= number <= high:",
        replace="            if low <= number < high:",
        says="You do not count numbers that equal the upper end. [low, high] includes both.",
    ),
    Mistake(
        "width-as-a-float",
        find="width = -(-(high - low + 1) // buckets)",
        replace="width = int((high - low + 1) / buckets + 0.999999)",
        says="You divide the range with /, which gives a float. It has 53 bits, and the range up to 64: the "
        "width is off by up to some thousands. Round up in whole numbers: -(-(high - low + 1) // "
        "buckets).",
    ),
    Mistake(
        "index-as-a-float",
        find="counts[(number - low) // width] += 1",
        replace="counts[min(int((number - low) / width), buckets - 1)] += 1",
        says="You divide with / to find the bucket of a number. That is a float of 53 bits, so in a range of "
        "64 bits a number just below the edge of a bucket counts in the next one. Use //.",
    ),
    Mistake(
        "index-as-a-float-and-no-further-than-the-last",
        find="counts[(number - low) // width] += 1",
        replace="counts[min(int((number - low) / width), (high - low) // width)] += 1",
        also=(
            (
                "while rank >= counts[bucket]:",
                "while bucket < (high - low) // width and rank >= counts[bucket]:",
            ),
        ),
        says="You divide with / to find the bucket of a number. That is a float of 53 bits, so in a range of "
        "64 bits a number just below the edge of a bucket counts in the next one. Use //.",
    ),
    Mistake(
        "digits-from-a-float-logarithm",
        find=LOOP,
        replace="""\
    import math

    digits = max(1, math.ceil(math.log(high - low + 1) / math.log(buckets)))
    prefix, rank = 0, None
    for place in reversed(range(digits)):
        counts = [0] * buckets
        for number in read():
            above, digit = divmod((number - low) // buckets**place, buckets)
            if above == prefix:
                counts[digit] += 1
        if rank is None:
            n = sum(counts)
            if n == 0:
                raise ValueError("an empty stream has no median")
            rank = (n - 1) // 2
        bucket = 0
        while rank >= counts[bucket]:
            rank -= counts[bucket]
            bucket += 1
        prefix = prefix * buckets + bucket
    return low + prefix
"""
        + LOOP,
        says="You leave out the largest numbers where the range has a few integers more than a power of "
        "buckets: you take the number of digits from a logarithm, for example, which is a float and comes "
        "out too small there. Count in whole numbers: while buckets**digits < high - low + 1.",
    ),
    Mistake(
        "place-off-by-one",
        find="while rank >= counts[bucket]:",
        replace="while rank > counts[bucket]:",
        says="You stay in a bucket when the place equals its count. Places start at 0, so a bucket of c "
        "numbers has the places 0 to c - 1: go on while rank >= counts[bucket].",
    ),
    Mistake(
        "fullest-bucket",
        find="        low += bucket * width\n",
        replace="        bucket = counts.index(max(counts))\n        low += bucket * width\n",
        says="You go on in the fullest bucket. The median is in the one where the running sum of the counts "
        "passes its place.",
    ),
    Mistake(
        "edge-of-the-bucket",
        find="        high = min(low + width - 1, high)\n",
        replace="        high = min(low + width - 1, high)\n        break\n",
        says="You give the lower end of the median's bucket after one pass. That is an estimate: split the "
        "bucket again until it has one integer.",
    ),
    Mistake(
        "halved-each-time",
        find=LOOP,
        replace="    buckets = 2\n" + LOOP,
        says="Your values are right, but you read the stream too often. Usually each pass only halves the "
        "range, as in a binary search (64 passes for 64 bits: count in `buckets` parts, 8 passes with 256), "
        "or passes for the number, the least and the largest come on top.",
    ),
    Mistake(
        "always-256",
        find=LOOP,
        replace="    buckets = 256\n" + LOOP,
        says="You count in 256 buckets whatever `buckets` is.",
    ),
    Mistake(
        "passes-of-their-own-before",
        find=LOOP,
        replace="    _ = sum(1 for _ in read()), min(read(), default=low), max(read(), default=high)\n"
        + LOOP,
        says="Your values are right, but you read the stream a few times more than allowed (in passes of "
        "their own for the number of numbers, the least and the largest, for example). A pass is the "
        "expensive part: the sum of the counters of the first one is n, and low and high will do for the "
        "ends.",
    ),
    Mistake(
        "counted-in-a-pass-of-its-own",
        find="        if rank is None:\n            n = sum(counts)",
        replace="        n = sum(1 for _ in read())\n        if rank is None:",
        says="Your values are right, but you read the stream twice in each round: once for a single count, "
        "for example, of all numbers or of those below the range. A pass is the expensive part, and the "
        "counters tell both: those of the first pass add up to n, and those before the chosen bucket count "
        "what lies below the next range.",
    ),
    Mistake(
        "read-once-gone-through-twice",
        find=LOOP,
        replace="    stream = read()\n    read = lambda: stream\n" + LOOP,
        says="You call read() once and go through what it gave again. It may be a generator, which is empty "
        "then: call read() for each pass.",
    ),
    Mistake(
        "length-asked",
        find=LOOP,
        replace="    length = len(read())\n" + LOOP,
        says="You ask for the len() of the stream, and a stream has none. The first pass counts.",
    ),
    Mistake(
        "counts-not-cleared",
        find="        counts = [0] * buckets\n",
        replace="        counts = [0] * buckets if rank is None else counts\n",
        says="You go on counting in the counters of the pass before. Start each pass with zeros.",
    ),
    Mistake(
        "empty-stream-accepted",
        find="""\
            if n == 0:
                raise ValueError("an empty stream has no median")
""",
        replace="""\
            if n == 0:
                return None
""",
        says="You accept an empty stream. It has no median: raise a ValueError.",
    ),
    Mistake(
        "too-few-buckets-accepted",
        find='        raise ValueError(f"buckets must be at least 2, not {buckets}")',
        replace="        buckets = 2",
        says="You accept buckets below 2. Raise a ValueError.",
    ),
]
