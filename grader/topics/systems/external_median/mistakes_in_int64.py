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
]
