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
]
