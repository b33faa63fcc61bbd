"""Known wrong versions of `pipeline_schedule` that take the mean of the stages' idle shares."""

from grader.kit import Mistake

BUBBLE = "    return 1 - busy / (len(orders) * end)\n"

MISTAKES = [
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
        says=f"You take the mean of the stages' idle shares, each of the time {what}. All stages take from 0 "
        "to the end of the last operation of all: one that is done waits for the others.",
    )
    for id, time, what in (
        ("to-its-own-end", "last", "from 0 up to its own last operation"),
        ("from-its-own-start", "(last - row[0])", "from its own first operation to its own last"),
    )
]
