"""Known wrong versions of `focal_loss` that reduce too early, or over other rows."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "cross-entropy-reduced-like-the-result",
        find='    loss = F.cross_entropy(logits, target, reduction="none")  # (batch,)\n',
        replace="    loss = F.cross_entropy(logits, target, reduction=reduction)\n",
        says="You pass the caller's reduction on to the cross entropy, so p_t comes from one mean or sum of "
        'all rows. Each row has a p_t of its own: reduction="none" there, and reduce at the end.',
    ),
    Mistake(
        "mean-over-the-rows-with-an-alpha",
        find="else losses.mean()",
        replace="else losses[alpha_t * torch.ones_like(losses) != 0].mean()",
        says="Your mean leaves out the rows whose alpha is 0 (they are skipped, for example, and the others "
        "averaged). They have the loss 0 and count like the others: divide by the number of all rows.",
    ),
    Mistake(
        "gradient-of-the-sum-divided",
        find="return losses.sum() if",
        replace="return losses.mean() + (losses.sum() - losses.mean()).detach() if",
        says='Your values are right, but for reduction="sum" the gradient is divided by the number '
        "of rows, as that of the mean is. A sum hands on what comes in, to each loss as it is.",
    ),
    Mistake(
        "gradient-of-the-mean-not-divided",
        find="else losses.mean()",
        replace="else losses.sum() + (losses.mean() - losses.sum()).detach()",
        says='Your values are right, but for reduction="mean" the gradient is not divided by '
        "the number of rows: it is that of the sum.",
    ),
    Mistake(
        "mean-over-rows-and-classes",
        find="else losses.mean()",
        replace="else losses.mean() / logits.shape[1]",
        says="Your mean divides by the number of rows times that of classes: you average a matrix that is 0 "
        "but at the targets, for example. Each row has one loss: divide by the number of rows.",
    ),
]
