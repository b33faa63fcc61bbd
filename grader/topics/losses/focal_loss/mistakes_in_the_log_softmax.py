"""Known wrong versions of `focal_loss`: a log-softmax of its own, not shifted by each row's maximum."""

from grader.kit import Mistake

LOSS = '    loss = F.cross_entropy(logits, target, reduction="none")  # (batch,)\n'

MISTAKES = [
    Mistake(
        f"log-softmax-{id}",
        find=LOSS,
        replace=f"""\
    shifted = {shifted}
    log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
    loss = -log_p.gather(1, target.unsqueeze(1)).squeeze(1)
""",
        says=says,
    )
    for id, shifted, says in (
        (
            "less-the-largest-of-all",
            "logits - logits.max()",
            "Your log-softmax subtracts the largest logit of the whole batch. In a row that lies far below "
            "it all exponentials are 0, and log(0) is -inf. Subtract each row's own maximum: amax(dim=1, "
            "keepdim=True).",
        ),
        (
            "less-the-largest-of-each-class",
            "logits - logits.amax(dim=0)",
            "Your softmax subtracts the largest logit of each class, over the rows (dim 0), which changes "
            "the probabilities. Subtract one number from a row, its own maximum: amax(dim=1, keepdim=True).",
        ),
        (
            "not-shifted",
            "logits",
            "Your log-softmax exponentiates the logits as they are: exp overflows above 88.7 in float32 and "
            "709 in float64, and for very negative rows the sum is 0. Subtract the maximum of each row "
            "first: the log-softmax does not change.",
        ),
    )
]
