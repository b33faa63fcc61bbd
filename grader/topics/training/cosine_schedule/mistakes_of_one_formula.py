"""Known wrong versions of `cosine_schedule` that do without one of its cases."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "smaller-of-line-and-cosine",
        find="""\
    if step < warmup_steps:
        return max_lr * step / warmup_steps
""",
        replace="    line = max_lr * step / warmup_steps if warmup_steps else max_lr\n",
        also=(
            (
                "    return min_lr + (max_lr - min_lr) * share",
                "    return min(line, min_lr + (max_lr - min_lr) * share)",
            ),
        ),
        says="You take the smaller of line and cosine instead of asking where the warm-up ends. Before that "
        "the cosine goes on to the left, and where the warm-up is about as long as what follows, or longer, "
        "it lies below the line. Ask for step < warmup_steps.",
    ),
    Mistake(
        "rate-of-the-last-step-kept",
        find="""\
    if step >= total_steps:
        return min_lr  # a cosine that went on would rise again
""",
        replace="    step = min(step, total_steps - 1)\n",
        says="From total_steps on you give the rate of step total_steps - 1, which is not min_lr yet (your "
        "table ends there, for example). The cosine reaches min_lr in step total_steps: a table has "
        "total_steps + 1 rates.",
    ),
]
