"""Known wrong versions of `focal_loss` that reduce the cross entropy before p_t comes from it."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "cross-entropy-reduced-like-the-result",
        find='    loss = F.cross_entropy(logits, target, reduction="none")  # (batch,)\n',
        replace="    loss = F.cross_entropy(logits, target, reduction=reduction)\n",
        says="You pass the caller's reduction on to the cross entropy, so p_t comes from one mean or sum of "
        'all rows. Each row has a p_t of its own: reduction="none" there, and reduce at the end.',
    ),
]
