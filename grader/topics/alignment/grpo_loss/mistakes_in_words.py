"""Known wrong versions of `grpo_loss` that accept other words, or look at them too late."""

from grader.kit import Mistake

AGGREGATES = """\
    if aggregate not in ("sequence", "token"):
        raise ValueError(f"unknown aggregate {aggregate!r}")
"""
WHOSE = (
    ("words", ("aggregate", "importance")),
    ("aggregate", ("aggregate",)),
    ("importance", ("importance",)),
)

MISTAKES = [
    *(
        Mistake(
            f"{whose}-in-capitals-accepted",
            find=AGGREGATES,
            replace="".join(f"    {name} = {name}.lower()\n" for name in names) + AGGREGATES,
            says=f'For {" and ".join(names)} you accept words in capitals ("Token"): you compare without '
            "regard to case, for example. Any word but the two, as they are written, raises a ValueError.",
        )
        for whose, names in WHOSE
    ),
    *(
        Mistake(
            f"part-of-a-word-accepted-for-{whose}",
            find=AGGREGATES,
            replace="".join(f'    {name} = {name} or "token"\n' for name in names) + AGGREGATES,
            says=f'For {" and ".join(names)} you accept "": it is a part of every word, so it is in "token", '
            'and ("token") is the same string, no tuple, for example. Compare by ==, or look in a tuple of '
            "whole words.",
        )
        for whose, names in WHOSE
    ),
    Mistake(
        "aggregate-of-whole-sequences-accepted",
        find=AGGREGATES,
        replace=AGGREGATES.replace("if aggregate", "if not mask.all() and aggregate"),
        says="You accept any word for aggregate where no token is masked: both means are the same then, and "
        "you return before you have looked at it, for example. Look at the words first.",
    ),
]
