"""Known wrong versions of `pipeline_schedule` in how many forwards a stage begins with."""

from grader.kit import Mistake

WARMUP = "        warmup = min(num_stages - 1 - stage, num_microbatches)\n"
COOLDOWN = "range(num_microbatches - warmup, num_microbatches)]\n"

MISTAKES = [
    Mistake(
        "warmup-one-too-long",
        find=WARMUP,
        replace=WARMUP.replace("num_stages - 1 - stage", "num_stages - stage"),
        says="Your stage s begins with num_stages - s forwards before F and B take turns. As a turn begins "
        "with F, it then keeps one microbatch more than it needs to: the warm-up is num_stages - 1 - s.",
    ),
    Mistake(
        "warmup-one-too-short",
        find=WARMUP,
        replace="        warmup = min(max(num_stages - 2 - stage, 0), num_microbatches)\n",
        says="Your stages warm up with one forward fewer than they should: their first B then waits for the "
        "stages behind them, which are not so far yet. The warm-up is num_stages - 1 - s.",
    ),
    Mistake(
        "same-warmup-everywhere",
        find=WARMUP,
        replace=WARMUP.replace("num_stages - 1 - stage", "num_stages - 1"),
        says="All stages of your one_f_one_b have the same warm-up, num_stages - 1. The later the stage, the"
        " sooner its first B comes: stage s needs num_stages - 1 - s, the last one none.",
    ),
    Mistake(
        "warmup-of-the-stage-number",
        find=WARMUP,
        replace=WARMUP.replace("num_stages - 1 - stage", "stage"),
        says="Your stage s warms up with s forwards, so the last stage with the most. It is the other way "
        "round: the first stage waits longest for its first B, and has num_stages - 1.",
    ),
    Mistake(
        "warmup-beyond-the-batch",
        find=WARMUP,
        replace="        warmup = num_stages - 1 - stage\n",
        says="Your warm-up may be longer than there are microbatches, so with few of them a stage does some "
        "that do not exist. It is at most num_microbatches.",
    ),
    Mistake(
        "warmup-forwards-beyond-the-batch",
        find=WARMUP,
        replace="        warmup = num_stages - 1 - stage\n",
        also=(
            (COOLDOWN, COOLDOWN.replace("num_microbatches - warmup", "max(num_microbatches - warmup, 0)")),
        ),
        says="Your warm-up may be longer than there are microbatches: with few of them a stage then does F "
        "of some that do not exist, and whose B never comes. It is at most num_microbatches.",
    ),
]
