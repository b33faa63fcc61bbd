"""Known wrong versions of `beam_search` that never keep more than the vocabulary has tokens."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "beam-limited-by-the-vocabulary",
        find="        beam = candidates[:beam_width]",
        replace="        beam = candidates[: min(beam_width, totals.shape[1])]",
        says="You never keep more hypotheses than the vocabulary has tokens. Only the first step has so few "
        "candidates: from the second step on there are the extensions of all beams and the finished "
        "hypotheses, and beam_width may be larger than the vocabulary. Limit it by their number.",
    ),
    Mistake(
        "beam-limited-by-the-extensions",
        find="        beam = candidates[:beam_width]",
        replace="        beam = candidates[: min(beam_width, totals.numel())]",
        says="You never keep more hypotheses than there are extensions in a step. The finished ones are "
        "candidates too: with a small vocabulary some of them are lost. Limit it by the number of both.",
    ),
    Mistake(
        "extensions-limited-by-the-vocabulary",
        find="topk(min(beam_width, totals.numel()))",
        replace="topk(min(beam_width, totals.shape[1]))",
        says="You take no more extensions in a step than the vocabulary has tokens. From the second step on "
        "there are those of all beams, and beam_width may be larger than the vocabulary. Limit it by the "
        "number of all extensions.",
    ),
]
