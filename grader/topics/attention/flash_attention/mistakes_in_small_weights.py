"""Known wrong versions of `flash_attention` that leave out what is small, or add up in float32."""

from grader.kit import Mistake

LARGEST = "            new_largest = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))\n"
OLD = "correction = torch.exp(largest - new_largest)"
SMALL = (
    "Many small weights add up, and their values may be large. Leave nothing out: weights that are too small "
    "to count become 0 by themselves."
)

MISTAKES = [
    *(
        Mistake(
            f"blocks-below-the-maximum-left-out-at-{bound}",
            find=LARGEST,
            replace=f"""\
            if k_start > 0 and bool((scores.amax(dim=-1, keepdim=True) < largest - {bound}).all()):
                continue
{LARGEST}""",
            says="You leave out a block of keys whose scores lie far below the maximum so far, by "
            f"{bound} or less for example, or set such weights to 0. {SMALL}",
        )
        for bound in (8, 12, 20)
    ),
    Mistake(
        "sums-far-below-the-maximum-forgotten",
        find=OLD,
        replace=f"{OLD} * (new_largest - largest < 20)",
        says="You forget what has been summed where the new maximum lies far above the old one, by 20 or "
        f"less for example. {SMALL}",
    ),
    *(
        Mistake(
            f"small-rises-not-corrected-{name}",
            find=OLD,
            replace=f"{OLD}\n            correction = torch.where({small}, 1.0, correction)",
            says="You do not correct what is summed so far where the maximum rises by little, but take the "
            "new maximum for the next block all the same. What is left out adds up over many blocks. Correct "
            "it by exp(old maximum - new maximum) each time, or keep the old maximum too where you do not.",
        )
        for name, small in (
            ("below-a-tenth", "new_largest - largest < 0.1"),
            ("below-a-hundredth", "new_largest - largest < 0.01"),
            ("for-its-size", "torch.isclose(new_largest, largest)"),
        )
    ),
]
