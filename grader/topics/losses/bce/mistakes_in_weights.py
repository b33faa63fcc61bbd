"""Known wrong versions of `bce`: which element gets which weight, and means of blocks."""

from grader.kit import Mistake

_LOSSES = "    losses = pos_weight * target * loss_if_1 + (1 - target) * loss_if_0"

MISTAKES = [
    Mistake(
        "weights-for-rows-where-there-are-as-many",
        find=_LOSSES,
        replace=f"""\
    if pos_weight.dim() == 1 and logits.dim() == 2 and len(pos_weight) == len(logits):
        pos_weight = pos_weight[:, None]
{_LOSSES}""",
        says="Where there are as many rows as classes you take pos_weight of shape (classes,) for one weight "
        "for each row. It broadcasts as in PyTorch, from the last dimension on: one for each class, whatever "
        "the number of rows is.",
    ),
    Mistake(
        "weights-repeated-by-flat-places",
        find=_LOSSES,
        replace=f"""\
    places = torch.arange(logits.numel(), device=logits.device) % pos_weight.numel()
    pos_weight = pos_weight.reshape(-1)[places].view(logits.shape)
{_LOSSES}""",
        says="You count through the elements and take the weights in turn (i modulo their number). That is "
        "right for one weight for each class only: of shape (batch, 1), for example, a row has the same "
        "weight in all places. Let pos_weight broadcast: pos_weight * target.",
    ),
    *(
        Mistake(
            f"mean-of-the-means-of-blocks-of-{size}",
            find="else losses.mean()",
            replace=f"else torch.stack([part.mean() for part in losses.split({size})]).mean()",
            says=f"You take the mean of each block ({size} rows, for example), and the mean of these. Where "
            "the last block is shorter, its elements weigh more than the others: add up the sums, and divide "
            "by the number of all elements.",
        )
        for size in (8, 16, 32, 64, 128)
    ),
    Mistake(
        "log-factor-without-the-maximum-by-branches",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="""(
        (1 - target) * logits
        - (below := torch.where(logits > 0, zero, logits))
        + (1 + (pos_weight - 1) * target)
        * torch.log1p(torch.exp(below - torch.where(logits > 0, logits, zero)))
    )""",
        says="In (1 - y) * x + factor * log(1 + exp(-x)) your factor, 1 + (pos_weight - 1) * y, multiplies "
        "log1p(exp(-|x|)) only. What you took out of the logarithm for negative logits belongs inside too: "
        "factor * (max(-x, 0) + log1p(exp(-|x|))).",
    ),
]
