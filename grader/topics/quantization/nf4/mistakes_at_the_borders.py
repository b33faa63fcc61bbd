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
] + [
    Mistake(
        "multiplied-by-the-inverse",
        find="blocks / absmax.masked_fill(absmax == 0, 1.0)[:, None]",
        replace="blocks * (1 / absmax.masked_fill(absmax == 0, 1.0))[:, None]",
        says="You multiply by 1 / absmax, which overflows where absmax is so small that it is subnormal: "
        "inf, and inf * 0 is NaN. Divide by absmax.",
    ),
    *(
        Mistake(
            f"border-{number}-too-{words}",
            find="(levels[1:] + levels[:-1]) / 2",
            replace=f"((levels[1:] + levels[:-1]) / 2).index_add(0, torch.tensor([{number}], "
            f"device=weight.device), levels.new_tensor([{shift}]))",
            says=f"Your border between the levels {number} and {number + 1} is too {words}: numbers that are "
            "typed in lose a digit or exchange two. Compute it: the middle of both.",
        )
        for number in range(15)
        for words, shift in (("low", -0.0045), ("high", 0.0045))
    ),
]
