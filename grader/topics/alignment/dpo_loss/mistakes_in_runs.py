"""Known wrong versions of `sequence_log_probs` that take the labels which count for one run."""

from grader.kit import Mistake

SUM = "return chosen.masked_fill(~kept, 0).sum(dim=-1)"
BEGUN = "kept.cumsum(dim=-1) > 0"
NOT_ENDED = "kept.flip(-1).cumsum(dim=-1).flip(-1) > 0"

MISTAKES = [
    Mistake(
        id_,
        find=SUM,
        replace=f"kept = {kept}\n    {SUM}",
        says=f"{what}. Ignored labels may stand anywhere in a row, between others too (what a tool has "
        "written, for example): each label counts, or not, for itself.",
    )
    for id_, kept, what in (
        (
            "ignored-in-between-counted",
            f"({BEGUN}) & ({NOT_ENDED})",
            "You sum from the first label that counts to the last one, and so some token's log-probability "
            "where a label between them is ignored",
        ),
        (
            "ignored-behind-the-first-counted",
            BEGUN,
            "You sum from the first label that counts to the end, and so some token's log-probability where "
            "a later label is ignored",
        ),
        (
            "ignored-before-the-last-counted",
            NOT_ENDED,
            "You sum from the beginning to the last label that counts, and so some token's log-probability "
            "where an earlier label is ignored",
        ),
        (
            "first-run-alone",
            f"kept & ((({BEGUN}) & ~kept).cumsum(dim=-1) == 0)",
            "You stop at the first ignored label behind the answer's beginning, and what comes after it is "
            "lost",
        ),
    )
]
