"""Known wrong versions of `beam_search`: which tokens may follow."""

from grader.kit import Mistake

TOTALS = "totals = totals.unsqueeze(1) + next_log_probs"

MISTAKES = [
    Mistake(
        "bos-never-follows",
        find=TOTALS,
        replace=TOTALS + "\n        totals[:, bos_id] = -torch.inf",
        says="You never let bos_id follow. It is a token like any other here: what may follow is for "
        "log_probs alone to say, by a log-probability of -inf.",
    ),
    Mistake(
        "large-negative-instead-of-infinity",
        find=TOTALS,
        replace=TOTALS.replace("next_log_probs", "next_log_probs.clamp(min=-1e7)"),
        says="Tokens of probability 0 fill up your beam when there are not enough others: for example, you "
        "put a large negative number in place of -inf, so that they count as possible. Drop extensions of "
        "probability 0: the beam may hold fewer than beam_width.",
    ),
    Mistake(
        "starts-with-improbable-copies",
        find="    beam = [([bos_id], 0.0)]",
        replace="    beam = [([bos_id], 0.0)] + [([bos_id], -1e9)] * (beam_width - 1)",
        says="Where the beam has room, you return hypotheses with a very low score that are not there: for "
        "example, you start with beam_width copies of [bos_id], all but one with the sum -1e9, and these are "
        "kept when there are not enough others. Start with a single hypothesis, or give the copies the sum "
        "-inf and drop what has it.",
    ),
]
