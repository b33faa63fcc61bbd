"""Known wrong versions of `reward_model_loss` that stop at padding between the tokens."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "last-of-the-first-run",
        find="last = (places * mask.bool()).argmax(dim=1)",
        replace="""\
real = F.pad(mask.bool().int(), (0, 1))
    last = (real[:, :-1] > real[:, 1:]).int().argmax(dim=1)""",
        says="You take the last token before the first change from real to padding. Padding may be in "
        "between, and then real tokens follow: look for the last real token of the row.",
    ),
]
