"""Known wrong versions of `external_median` whose range wraps around as in C."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"range-in-int64{ending}",
            find="        width = -(-(high - low + 1) // buckets)  # rounded up, without a float\n",
            replace="        width = max(_int64(high - low) // buckets + 1, 1)\n",
            also=(
                (
                    "                counts[(number - low) // width] += 1\n",
                    f"                counts[min(max({difference} // width, 0), buckets - 1)] += 1\n",
                ),
                (
                    "def external_median(",
                    """\
def _int64(number):
    return (number + 2**63) % 2**64 - 2**63


def external_median(""",
                ),
            ),
            says="Your high - low is an int64, for example that of NumPy numbers. Where it needs 64 bits it "
            "wraps around below 0, so that the parts are far too narrow. Python's own integers have no end.",
        )
        for ending, difference in (("", "_int64(number - low)"), ("-alone", "(number - low)"))
    ),
    *(
        Mistake(
            f"difference-in-int64-{id}",
            find="                counts[(number - low) // width] += 1\n",
            replace=f"""\
                wrapped = (number - low + 2**63) % 2**64 - 2**63
                fits = width if width < 2**63 else np.zeros(1, dtype=np.int64) // width
                counts[{place}] += 1
""",
            also=(
                ("from collections.abc", "import numpy as np\nfrom collections.abc"),
                ("counts = [0] * buckets", "counts = np.zeros(buckets, dtype=np.int64)"),
                ("n = sum(counts)", "n = int(counts.sum())"),
                ("rank -= counts[bucket]", "rank -= int(counts[bucket])"),
            ),
            says="Your number - low is an int64, for example that of a NumPy array. Where high - low needs "
            f"64 bits it wraps around below 0, and {what}. Python's own integers have no end.",
        )
        for id, place, what in (
            (
                "clipped",
                "min(max(wrapped // fits, 0), buckets - 1)",
                "cut off at 0 it puts large numbers into the first bucket",
            ),
            (
                "as-an-index",
                "wrapped // fits",
                "as an index below 0 it counts from the end, which need not be the number's bucket",
            ),
        )
    ),
]
