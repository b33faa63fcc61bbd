"""Known wrong versions of `cosine_schedule` that add up the slope of the cosine, step by step."""

from grader.kit import Mistake

SHARE = "share = 0.5 * (1 + math.cos(math.pi * progress))  # 1 to 0"
STEPS = "(total_steps - warmup_steps)"
HALF = f"half = math.pi / (2 * {STEPS})"
FALLEN = "0.5 * (1 - math.cos(math.pi * progress))"
SLOPE = "0.5 * half * math.sin(math.pi * progress)"

MISTAKES = [
    Mistake(  # each sum in its closed form
        f"slopes-{where}-added-up",
        find=SHARE,
        replace=f"{HALF}\n    share = 1 - ({fallen})",
        says=f"You add up, step by step, what the cosine falls by at its slope {at}. That is near the curve, "
        "and not on it: the fewer the steps, the farther off. Take the cosine of each step itself: "
        "0.5 * (1 + cos(pi * progress)).",
    )
    for where, at, fallen in (
        ("in-the-middle", "in the middle of each step", f"{FALLEN} * half / math.sin(half)"),
        ("at-the-beginning", "at the beginning of each step", f"{FALLEN} * half / math.tan(half) - {SLOPE}"),
        ("at-the-end", "at the end of each step", f"{FALLEN} * half / math.tan(half) + {SLOPE}"),
        ("at-both-ends", "at both ends of each step, averaged", f"{FALLEN} * half / math.tan(half)"),
    )
]
