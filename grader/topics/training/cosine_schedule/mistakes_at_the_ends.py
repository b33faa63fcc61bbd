"""Known wrong versions of `cosine_schedule` that end the warm-up or the cosine in another step."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "end-counted-from-the-warm-up",
        find="    if step >= total_steps:\n",
        replace="    if step - warmup_steps >= total_steps:\n",
        says="After total_steps your cosine goes on for warmup_steps more, and the rate rises again: you "
        "look for the end among the steps behind the warm-up (once warmup_steps is taken off step, for "
        "example). total_steps counts from step 0: ask before, or compare with total_steps - warmup_steps.",
    ),
    Mistake(
        "warm-up-one-step-short",
        find="        return max_lr * step / warmup_steps\n",
        replace="        return max_lr * step / max(warmup_steps - 1, 1)\n",
        says="Your warm-up is at max_lr in step warmup_steps - 1 already: you divide by warmup_steps - 1, or "
        "take linspace(0, max_lr, warmup_steps), whose last point is its end. It reaches max_lr in step "
        "warmup_steps: max_lr * step / warmup_steps.",
    ),
    Mistake(
        "rises-again-after-the-end-without-warm-up",
        find="    if step >= total_steps:\n",
        replace="    if warmup_steps and step >= total_steps:\n",
        says="With warmup_steps=0 your cosine goes on after total_steps, and the rate rises again. From "
        "total_steps on it is min_lr, with a warm-up or without.",
    ),
]
