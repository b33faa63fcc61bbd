"""Known wrong versions of `cosine_schedule` that take a zero for an argument that is not given."""

from grader.kit import Mistake

START = "    if step < warmup_steps:\n"
RATE = "    return min_lr + (max_lr - min_lr) * share"

MISTAKES = [
    *(
        Mistake(
            f"min-lr-of-zero-is-{name}{ending}",
            find=find,
            replace=f"    min_lr = min_lr or {default}\n{find}",
            says=f"Where min_lr is 0.0 your cosine goes down to {said} (as with `min_lr or {default}`: "
            "0.0 is false in Python). 0.0 is a rate like any other, and the cosine ends there.",
        )
        for name, default, said in (
            ("a-tenth", "max_lr / 10", "a tenth of max_lr"),
            ("a-hundredth", "max_lr / 100", "a hundredth of max_lr"),
        )
        for ending, find in (("", START), ("-along-the-cosine", RATE))
    ),
    Mistake(
        "warm-up-of-zero-is-a-tenth",
        find=START,
        replace=f"    warmup_steps = warmup_steps or total_steps // 10\n{START}",
        says="Where warmup_steps is 0 you warm up all the same, for a tenth of all steps (as with "
        "`warmup_steps or total_steps // 10`: 0 is false in Python). Without a warm-up the cosine begins in "
        "step 0, at max_lr.",
    ),
]
