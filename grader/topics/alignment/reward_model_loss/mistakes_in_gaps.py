"""Known wrong versions of `reward_model_loss` that forget padding between the tokens, or on both sides."""

from grader.kit import Mistake

LAST = "last = (places * mask.bool()).argmax(dim=1)"

MISTAKES = [
    Mistake(
        "last-of-the-first-run",
        find=LAST,
        replace="""\
real = F.pad(mask.bool().int(), (0, 1))
    last = (real[:, :-1] > real[:, 1:]).int().argmax(dim=1)""",
        says="You take the last token before the first change from real to padding. Padding may be in "
        "between, and then real tokens follow: look for the last real token of the row.",
    ),
    *(
        Mistake(
            f"one-side-taken-for-{id}",
            find=LAST,
            replace=f"{LAST} if {unless} else {guess}",
            says=f"Where all rows {where}, you take them for padded on the {side} alone. Padding may be in "
            "between as well, and on both sides: look for the last real token of each row in every case.",
        )
        for id, where, side, unless, guess in (
            (
                "rows-that-begin",
                "begin with a real token",
                "right",
                "not mask[:, 0].all()",
                "mask.bool().sum(dim=1) - 1",
            ),
            (
                "rows-that-begin-with-padding",
                "begin with padding",
                "left",
                "mask[:, 0].any()",
                "places[-1:].expand(len(mask))",
            ),
            (
                "rows-that-end-with-padding",
                "end with padding",
                "right",
                "mask[:, -1].any()",
                "mask.bool().sum(dim=1) - 1",
            ),
        )
    ),
]
