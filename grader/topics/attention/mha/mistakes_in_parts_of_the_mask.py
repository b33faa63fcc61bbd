"""Known wrong versions of `mha` that read a part of the mask, or more than it says."""

from grader.kit.families.attention.mistakes import sequence_mistakes

FILL = "        if mask is not None:\n"

MISTAKES = [
    *sequence_mistakes.taken_for_plain(FILL),
    sequence_mistakes.nothing_hidden_from_itself(FILL),
]
