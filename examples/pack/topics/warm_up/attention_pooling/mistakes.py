"""Known wrong versions of `attention_pooling`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "not-scaled",
        find="tokens @ query / math.sqrt(query.shape[0])",
        replace="tokens @ query",
        says="You do not divide the scores by sqrt(dim), so the weights are sharper than they should be.",
    ),
    Mistake(
        "scaled-without-root",
        find="math.sqrt(query.shape[0])",
        replace="query.shape[0]",
        says="You divide the scores by dim, not by its square root.",
    ),
    Mistake(
        "mask-turned-round",
        find="masked_fill(~mask, -math.inf)",
        replace="masked_fill(mask, -math.inf)",
        says="You leave out the tokens where mask is True. They are the ones to keep; False is padding.",
    ),
    Mistake(
        "masked-after-the-softmax",
        find="""\
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    largest = scores.amax(dim=1, keepdim=True).clamp(min=-1e30)  # a text of padding only: no -inf - -inf
    exps = torch.exp(scores - largest)
    weights = exps / exps.sum(dim=1, keepdim=True).clamp(min=1e-30)  # the sum is 1 or more, or 0
""",
        replace="""\
    exps = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    weights = exps / exps.sum(dim=1, keepdim=True)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
""",
        says="You take padding's weight away after the softmax, so what is left no longer sums to 1. Set its "
        "scores to -inf before.",
    ),
    Mistake(
        "over-the-batch",
        find="exps.sum(dim=1, keepdim=True)",
        replace="exps.sum(dim=0, keepdim=True)",
        says="You divide by the sum over the batch. The weights of one text sum to 1: sum over the sequence, "
        "dim 1.",
    ),
    Mistake(
        "nan-for-padding",
        find="""\
    largest = scores.amax(dim=1, keepdim=True).clamp(min=-1e30)  # a text of padding only: no -inf - -inf
    exps = torch.exp(scores - largest)
    weights = exps / exps.sum(dim=1, keepdim=True).clamp(min=1e-30)  # the sum is 1 or more, or 0
""",
        replace="""\
    exps = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    weights = exps / exps.sum(dim=1, keepdim=True)
""",
        says="A text of padding only gives NaN: its largest score is -inf, and -inf - -inf is NaN. It should "
        "give zeros.",
    ),
    Mistake(
        "largest-not-subtracted",
        find="torch.exp(scores - largest)",
        replace="torch.exp(scores)",
        says="You do not subtract the largest score, so exp overflows. It cancels in the quotient.",
    ),
]
