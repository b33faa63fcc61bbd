"""Known wrong versions of `yarn` that give the default dtype with one of the ramps alone."""

from grader.kit import Mistake

TURNS = "turns = original_len * plain / (2 * math.pi)"

PLAIN = "plain = torch.tensor([base ** (-2 * i / head_dim) for i in range(head_dim // 2)])"

MISTAKES = [
    Mistake(
        f"{ramp}-in-the-default-dtype",
        find=line,
        replace=other,
        says=f'With ramp "{ramp}" your frequencies have the default dtype, which may be another than '
        f"float32: that is what {what} makes, for example. Say dtype=torch.float32.",
    )
    for ramp, line, other, what in (
        (
            "rotations",
            TURNS,
            f"{PLAIN}\n        {TURNS}",
            "torch.tensor(numbers)",
        ),
        (
            "index",
            "torch.arange(head_dim // 2, dtype=torch.float32)",
            "torch.arange(head_dim // 2)",
            "a quotient of whole numbers",
        ),
    )
]
