"""Known wrong versions of `pipeline_schedule` in the bubble: means of the stages' shares, other times."""

from grader.kit import Mistake

BUBBLE = "    return 1 - busy / (len(orders) * end)\n"

TIMES = """\
    duration = {"F": forward_time, "B": backward_time}
    starts = start_times(orders, forward_time, backward_time)
"""

MISTAKES = [
    Mistake(
        "bubble-of-other-times",
        find=TIMES,
        replace=TIMES.replace("forward_time", "1").replace("backward_time", "2"),
        says="Your bubble_fraction does not go by its times: a forward always takes 1 and a backward 2, the "
        "defaults. For GPipe and 1F1B that changes nothing, for other orders it does: pass forward_time and "
        "backward_time on, and count with them.",
    ),
    *(
        Mistake(
            f"shares-averaged-each-stage-{id}",
            find=BUBBLE,
            replace=f"""\
    shares = []
    for order, row in zip(orders, starts, strict=True):
        last = row[-1] + duration[order[-1][0]]
        shares.append(sum(duration[kind] for kind, _ in order) / {time})
    return 1 - sum(shares) / len(shares)
""",
            says=f"You take the mean of the stages' idle shares, each of the time {what}. All stages take "
            "from 0 to the end of the last operation of all: one that is done waits for the others.",
        )
        for id, time, what in (
            ("to-its-own-end", "last", "from 0 up to its own last operation"),
            ("from-its-own-start", "(last - row[0])", "from its own first operation to its own last"),
        )
    ),
]
