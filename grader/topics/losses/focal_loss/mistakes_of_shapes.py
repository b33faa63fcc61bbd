"""Known wrong versions of `focal_loss` in which a column, (batch, 1), meets a row, (batch,)."""

from grader.kit import Mistake

LOSSES = "losses = alpha_t * focus * loss"

BROADCAST = "broadcasts to (batch, batch): every row's factor meets every row's loss"
SQUEEZE = "All of them are one number for each row, (batch,): squeeze dim 1 after gather, for example."

MISTAKES = [
    Mistake(
        "column-times-the-alphas",
        find=LOSSES,
        replace="column = (focus * loss)[:, None]\n    losses = (alpha_t * column).squeeze(-1)",
        says="With a tensor alpha, alpha[target] of shape (batch,) meets losses of shape (batch, 1), as "
        f"gather gives them, say, and that {BROADCAST}. {SQUEEZE}",
    ),
    Mistake(
        "column-of-factors",
        find=LOSSES,
        replace="losses = focus[:, None] * (alpha_t * loss)",
        says="Your (1 - p_t)**gamma has the shape (batch, 1), as gather gives p_t, say, and the cross "
        f"entropy the shape (batch,): their product {BROADCAST}. {SQUEEZE}",
    ),
    Mistake(
        "column-of-cross-entropies",
        find=LOSSES,
        replace="losses = alpha_t * focus * loss[:, None]",
        says="Your cross entropy has the shape (batch, 1), as gather gives it, say, and (1 - p_t)**gamma the "
        f"shape (batch,): their product {BROADCAST}. {SQUEEZE}",
    ),
    Mistake(
        "column-times-the-alphas-of-which-one-column-is-given",
        find=LOSSES,
        replace="""\
losses = alpha_t * (focus * loss)[:, None]
    if reduction == "none":
        return losses[:, 0]""",
        says="With a tensor alpha, alpha[target] of shape (batch,) meets losses of shape (batch, 1), as "
        f"gather gives them, say, and that {BROADCAST}. Taking the first column at the end hides the shape "
        f"alone. {SQUEEZE}",
    ),
    Mistake(
        "single-row-squeezed",
        find=LOSSES,
        replace="""\
focus, loss = focus.squeeze(), loss.squeeze()
    losses = alpha_t * focus * loss""",
        says="A batch of one row loses its dimension: you squeeze() what gather gives, without naming the "
        "dimension, for example, and that takes out every dimension of size 1. Name it: squeeze(1).",
    ),
]
