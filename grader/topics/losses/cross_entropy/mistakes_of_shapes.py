"""Known wrong versions of `cross_entropy` in which a column, (batch, 1), meets a row, (batch,)."""

from grader.kit import Mistake

PICKED = "target_log_probs = log_probs.gather(1, index.unsqueeze(1)).squeeze(1)  # (batch,)"
COLUMN = "target_log_probs = log_probs.gather(1, index.unsqueeze(1))"
LOG_SUM = "- shifted.exp().sum(dim=1, keepdim=True).log()"

MISTAKES = [
    Mistake(
        "column-of-log-probabilities",
        find=PICKED,
        replace=COLUMN,
        says="The targets' log-probabilities have the shape (batch, 1), as gather gives them, say, and meet "
        "weights or a mask of shape (batch,): that broadcasts to (batch, batch), every row's loss with every "
        "row's weight. All of them are one number for each row: squeeze dim 1 after gather, for example.",
    ),
    *(
        Mistake(
            f"column-of-log-sums{ending}",
            find=PICKED,
            replace=f"target_log_probs = {logits}.gather(1, index.unsqueeze(1)).squeeze(1) {log_sum}",
            says="Your log of the sums has the shape (batch, 1) (by keepdim=True, for example), and the "
            f"targets' logits{which} the shape (batch,): their difference broadcasts to (batch, batch), "
            "every row's sum with every row's target. Both are one number for each row.",
        )
        for ending, logits, log_sum, which in [
            ("", "logits", f"{LOG_SUM} - logits.amax(dim=1, keepdim=True)", ""),
            ("-of-shifted-logits", "shifted", LOG_SUM, " (without the row's maximum)"),
        ]
    ),
]
