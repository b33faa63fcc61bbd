"""Known wrong versions of `pipeline_schedule` that hold for few microbatches only."""

from grader.kit import Mistake

STARTS = '    duration = {"F": forward_time, "B": backward_time}\n    ends:'

MISTAKES = [
    Mistake(
        "rounds-limited",
        find="    while moved:\n",
        replace="""\
    rounds = 0
    while moved and rounds < 2 * (len(orders) + max(map(len, orders)) // 2):
        rounds += 1
""",
        says="Orders that can run are refused if they take many rounds: you go through the stages a set "
        "number of times, for example, and take what is left for a deadlock. How often it takes depends on "
        "the orders. Stop at the first round in which nothing could begin.",
    ),
    Mistake(
        "long-orders-taken-for-deadlocks",
        find=STARTS,
        replace=f"""\
    if max(map(len, orders)) >= 990:
        raise ValueError("operations wait for each other for ever")
{STARTS}""",
        says="Orders of a thousand operations and more are refused though they can run: your functions call "
        "themselves for each operation that another waits for, for example, and Python's limit of 1000 calls "
        "is taken for a deadlock. Go through the orders in a loop.",
    ),
    Mistake(
        "ticks-limited",
        find="    if any(len(begun) < len(order) for begun",
        replace="    if max(ends.values(), default=0) > 10_000 or any(len(begun) < len(order) for begun",
        says="Orders that can run are refused where they take long: you let the time run tick by tick, for "
        "example, and take it for a deadlock when a set number of ticks is over. How long it takes goes by "
        "forward_time and backward_time. It is a deadlock where nothing runs and nothing can begin.",
    ),
    Mistake(
        "kept-in-64-bits",
        find='            kept += 1 if kind == "F" else -1\n            peak = max(peak, kept)',
        replace='            kept += 1 if kind == "F" else -1\n            peak = max(peak, min(kept, 64))',
        says="Of more than 64 microbatches that a stage keeps you count 64: they are the bits of one number, "
        "for example, m % 64. A plain count, or a set, has no such end.",
    ),
]
