"""Known wrong versions of `cosine_schedule`."""

from grader.kit import Mistake

WARMUP = "        return max_lr * step / warmup_steps\n"
PROGRESS = "progress = (step - warmup_steps) / (total_steps - warmup_steps)"
SHARE = "share = 0.5 * (1 + math.cos(math.pi * progress))"
END = """\
    if step >= total_steps:
        return min_lr  # a cosine that went on would rise again
"""
WARMS_UP_TO_ITS_END = ("    if step < warmup_steps:\n", "    if warmup_steps and step <= warmup_steps:\n")
DIVIDES_BY_ZERO = (
    "With warmup_steps=0 your step 0 divides by zero. Where the warm-up ends, the cosine has begun: ask for "
    "step < warmup_steps."
)

ROUNDED = """\
def rounded(rate):
    return struct.unpack("f", struct.pack("f", rate))[0]


"""
ROUNDED_RATE = "    return rounded(min_lr + (max_lr - min_lr) * share)"

MISTAKES = [
    Mistake(
        "noam",
        find="    return min_lr + (max_lr - min_lr) * share",
        replace="    return max_lr * (max(warmup_steps, 1) / max(step, 1)) ** 0.5",
        also=((END, ""),),
        says="Behind the warm-up your rate falls with 1 / sqrt(step): that is the Noam schedule of the "
        "first Transformer, which has no end. The cosine goes from max_lr to min_lr between warmup_steps "
        "and total_steps.",
    ),
    Mistake(
        "linear-decay",
        find=SHARE,
        replace="share = 1 - progress",
        says="Behind the warm-up your rate falls in a straight line. Here it follows half a wave of a "
        "cosine: 0.5 * (1 + cos(pi * progress)) instead of 1 - progress.",
    ),
    Mistake(
        "quarter-of-a-wave",
        find=SHARE,
        replace="share = math.cos(0.5 * math.pi * progress)",
        says="You use a quarter of a wave, cos(pi / 2 * progress): it falls fastest at the end. The "
        "schedule takes half a wave, 0.5 * (1 + cos(pi * progress)), flat at both ends.",
    ),
    Mistake(
        "whole-wave",
        find="math.cos(math.pi * progress)",
        replace="math.cos(2 * math.pi * progress)",
        says="You go through a whole wave, so that the rate is back at max_lr in the end. It is half a "
        "wave: cos(pi * progress).",
    ),
    Mistake(
        "cosine-not-halved",
        find=SHARE,
        replace="share = math.cos(math.pi * progress)",
        says="You multiply by the cosine itself, which runs from 1 to -1. Shift and halve it, 0.5 * (1 + "
        "cos), so that it runs from 1 to 0.",
    ),
    Mistake(
        "rising",
        find="math.cos(math.pi * progress)",
        replace="-math.cos(math.pi * progress)",
        says="Your rate rises from min_lr to max_lr behind the warm-up: the sign of the cosine is turned. "
        "It is 0.5 * (1 + cos(pi * progress)).",
    ),
    Mistake(
        "progress-from-step-zero",
        find=PROGRESS,
        replace="progress = step / total_steps",
        says="You count the progress from step 0, so that the cosine is part of the way down when the "
        "warm-up ends, and the rate jumps there. Count from there: (step - warmup_steps) / (total_steps - "
        "warmup_steps).",
    ),
    *(
        Mistake(
            id,
            find=PROGRESS,
            replace=f"progress = {progress}",
            also=also,
            says=f"You {words}, so that the cosine is part of the way down where it begins, and the rate "
            f"jumps {where}. Count from the end of the warm-up: (step - warmup_steps) / (total_steps - "
            "warmup_steps).",
        )
        for suffix, also, where in (
            ("", (), "where the warm-up ends"),
            ("-behind-the-warm-up", (WARMS_UP_TO_ITS_END,), "in the step after warmup_steps"),
        )
        for id, progress, words in (
            (
                f"progress-from-step-zero{suffix}",
                "step / total_steps",
                "count the progress from step 0",
            ),
            (
                f"warm-up-taken-off-the-total-alone{suffix}",
                "step / (total_steps - warmup_steps)",
                "take warmup_steps off the total, but not off the step that is divided by it",
            ),
            (
                f"warm-up-taken-off-the-total-alone-up-to-one{suffix}",
                "min(step / (total_steps - warmup_steps), 1.0)",
                "take warmup_steps off the total, but not off the step that is divided by it",
            ),
        )
        if id != "progress-from-step-zero"
    ),
    Mistake(
        "warm-up-not-taken-off-the-total",
        find=PROGRESS,
        replace="progress = (step - warmup_steps) / total_steps",
        says="You divide the steps behind the warm-up by total_steps, so the cosine is not at its end in "
        "step total_steps. It has total_steps - warmup_steps steps.",
    ),
    Mistake(
        "warm-up-added-to-the-total",
        find=END,
        replace="""\
    total_steps = total_steps + warmup_steps
    if step >= total_steps:
        return min_lr
""",
        says="You let the cosine take total_steps steps behind the warm-up. total_steps counts them all: "
        "min_lr is reached in step total_steps.",
    ),
    Mistake(
        "ends-one-step-early",
        find="(total_steps - warmup_steps)",
        replace="max(total_steps - 1 - warmup_steps, 1)",
        says="Your cosine reaches min_lr in step total_steps - 1. It reaches it in step total_steps: divide "
        "by total_steps - warmup_steps.",
    ),
    Mistake(
        "min-lr-as-a-floor",
        find="    return min_lr + (max_lr - min_lr) * share",
        replace="    return max(min_lr, max_lr * share)",
        says="You let the cosine fall to 0 and cut it off at min_lr. It runs from max_lr to min_lr: min_lr "
        "+ (max_lr - min_lr) * share.",
    ),
    Mistake(
        "min-lr-added",
        find="    return min_lr + (max_lr - min_lr) * share",
        replace="    return min_lr + max_lr * share",
        says="You add min_lr to a cosine of height max_lr, so the rate starts at max_lr + min_lr. Its "
        "height is the difference, max_lr - min_lr.",
    ),
    Mistake(
        "min-lr-ignored",
        find="    return min_lr + (max_lr - min_lr) * share",
        replace="    return max_lr * share",
        says="Your cosine falls to 0, whatever min_lr is. It ends at min_lr: min_lr + (max_lr - min_lr) * "
        "share.",
    ),
    Mistake(
        "rises-again-after-the-end",
        find=END,
        replace="",
        says="After total_steps your cosine goes on, and the rate rises again. From total_steps on it is "
        "min_lr.",
    ),
    Mistake(
        "zero-after-the-end",
        find="        return min_lr  # a cosine that went on would rise again",
        replace="        return 0.0",
        says="From total_steps on your rate is 0: training that goes on learns nothing. It is min_lr there.",
    ),
    Mistake(
        "warm-up-from-step-one",
        find=WARMUP,
        replace="        return max_lr * (step + 1) / warmup_steps\n",
        says="Your warm-up gives step 0 the share (0 + 1) / warmup_steps, and reaches max_lr one step "
        "early. Many codebases do that; here step 0 has 0, and step warmup_steps max_lr.",
    ),
    Mistake(
        "warm-up-over-one-more-step",
        find=WARMUP,
        replace="        return max_lr * (step + 1) / (warmup_steps + 1)\n",
        says="Your warm-up gives step 0 the share 1 / (warmup_steps + 1). Many codebases do that; here the "
        "line starts at 0: max_lr * step / warmup_steps.",
    ),
    Mistake(
        "warm-up-from-min-lr",
        find=WARMUP,
        replace="        return min_lr + (max_lr - min_lr) * step / warmup_steps\n",
        says="Your warm-up starts at min_lr. It starts at 0: min_lr is where the cosine ends.",
    ),
    Mistake(
        "no-warm-up",
        find="    if step < warmup_steps:\n" + WARMUP,
        replace="    step = max(step, warmup_steps)\n",
        says="You have no warm-up: the rate is max_lr from step 0 on. It rises from 0 to max_lr over "
        "warmup_steps.",
    ),
    Mistake(
        "warm-up-of-zero-divides-by-zero",
        find="    if step < warmup_steps:\n",
        replace="    if step <= warmup_steps:\n",
        says=DIVIDES_BY_ZERO,
    ),
    Mistake(  # Python has other words for 0 / 0
        "warm-up-of-zero-divides-whole-numbers-by-zero",
        find="    if step < warmup_steps:\n" + WARMUP,
        replace="    if step <= warmup_steps:\n        return max_lr * (step / warmup_steps)\n",
        says=DIVIDES_BY_ZERO,
    ),
    Mistake(
        "warm-up-of-at-least-one-step",
        find="    if step < warmup_steps:\n",
        replace="    warmup_steps = max(warmup_steps, 1)\n    if step < warmup_steps:\n",
        says="With warmup_steps=0 you warm up for one step all the same, max(warmup_steps, 1) for example, "
        "so that step 0 has 0. It has max_lr there: without a warm-up the cosine begins in step 0.",
    ),
    Mistake(
        "step-zero-always-zero",
        find="    if step < warmup_steps:\n",
        replace="    if step == 0:\n        return 0.0\n    if step < warmup_steps:\n",
        says="With warmup_steps=0 your step 0 has 0, as if it belonged to a warm-up. It has max_lr there: "
        "without a warm-up the cosine begins in step 0.",
    ),
    Mistake(
        "rates-remembered-by-the-steps",
        find="    if step < warmup_steps:\n",
        replace="""\
    if step < total_steps:
        max_lr, min_lr = REMEMBERED.setdefault((warmup_steps, total_steps), (max_lr, min_lr))
    if step < warmup_steps:
""",
        also=(("def cosine_lr(", "REMEMBERED = {}\n\n\ndef cosine_lr("),),
        says="You keep a schedule under warmup_steps and total_steps alone, so a later call with other rates "
        "gets the earlier ones. Each call goes by its own arguments: a table that is kept needs max_lr and "
        "min_lr in its key, too.",
    ),
    Mistake(
        "whole-division",
        find=WARMUP,
        replace="        return max_lr * (step // warmup_steps)\n",
        says="step // warmup_steps is 0 throughout the warm-up. Divide with /.",
    ),
    Mistake(
        "float32",
        find=SHARE,
        replace="share = 0.5 * (1 + torch.cos(torch.tensor(math.pi * progress)).item())",
        also=(("import math\n", "import math\n\nimport torch\n"),),
        says="Your cosine is right to some seven digits only: it is computed in float32, for example, which "
        "is the default of torch. A schedule needs no tensors: math.cos has sixteen.",
    ),
    *(
        Mistake(
            f"float32{ending}",
            find=WARMUP,
            replace=WARMUP.replace("return ", "return rounded(").replace("\n", ")\n") if warms else WARMUP,
            also=(
                (END, END.replace("return min_lr", "return rounded(min_lr)") if ends else END),
                ("    return min_lr + (max_lr - min_lr) * share", ROUNDED_RATE),
                ("import math\n", "import math\nimport struct\n"),
                ("def cosine_lr(", ROUNDED + "def cosine_lr("),
            ),
            says=f"Your rates are right to some seven digits only, {where}: they are computed in float32, "
            "for example, which is the default of torch and of JAX. Nine digits are asked for: Python's own "
            "floats have sixteen.",
        )
        for ending, warms, ends, where in (
            ("-throughout", True, True, "in every part of the schedule"),
            ("-but-for-the-end", True, False, "in the warm-up and along the cosine"),
            ("-but-for-the-warm-up", False, True, "along the cosine and after it"),
            ("-along-the-cosine", False, False, "along the cosine"),
        )
    ),
    Mistake(
        "tensor-returned",
        find="    return min_lr + (max_lr - min_lr) * share",
        replace="    return torch.tensor(min_lr + (max_lr - min_lr) * share, dtype=torch.float64)",
        also=(("import math\n", "import math\n\nimport torch\n"),),
        says="You give a tensor. A learning rate is a Python float.",
    ),
    Mistake(
        "pi-of-four-digits",
        find="math.pi",
        replace="3.1416",
        says="Your π is 3.1416, which is right to five digits. Nine are asked for: math.pi.",
    ),
    Mistake(
        "warm-up-along-a-cosine",
        find="return max_lr * step / warmup_steps",
        replace="return max_lr * 0.5 * (1 - math.cos(math.pi * step / warmup_steps))",
        says="Your warm-up rises along a cosine. It is a straight line.",
    ),
    Mistake(
        "progress-in-whole-numbers",
        find="(step - warmup_steps) / (total",
        replace="(step - warmup_steps) // (total",
        says="Your progress is a whole number (//), so the rate stays at max_lr until the end. Divide with "
        "/.",
    ),
]
