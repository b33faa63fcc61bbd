"""Known wrong versions of `nf4` that put the borders between two levels elsewhere than in the middle."""

from grader.kit import Mistake

IMPORTED = "from collections.abc import Sequence\n"

MISTAKES = [
    Mistake(
        f"borders-in-the-middle-of-the-probability{ending}",
        find="(levels[1:] + levels[:-1]) / 2",
        replace="levels.new_tensor(borders)",
        also=(
            (
                "    # A binary search",
                f"    normal, largest = NormalDist(), {largest}\n"
                "    shares = [normal.cdf(level * largest) for level in NF4]\n"
                "    shares = [(a + b) / 2 for a, b in zip(shares[:-1], shares[1:], strict=True)]\n"
                "    borders = [normal.inv_cdf(share) / largest for share in shares]\n"
                "    # A binary search",
            ),
            (IMPORTED, f"{IMPORTED}from statistics import NormalDist\n"),
        ),
        says="You put the border between two levels where half of the normal distribution's mass between "
        "them lies, which is a little nearer to 0 than their middle. A value gets the nearest level: the "
        "border is (a + b) / 2. How the levels were found does not count here.",
    )
    for ending, largest in (
        ("", "NormalDist().inv_cdf(0.9677083333333333)"),
        ("-unscaled", "1.0"),
    )
]
