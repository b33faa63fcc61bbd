"""Known wrong versions of `softmax` whose values are right, and whose gradients are those of something else.

They are written so that a factor times `moved`, the logits less themselves, has the gradient wanted.
"""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import right_once


def of_softmax(mistake_id: str, moves: str, says: str) -> Mistake:
    """`moves`: what is added to the probabilities, with `p` for these."""
    return Mistake(
        mistake_id,
        find="    return exps / total",
        replace=f"""\
    p = (exps / total).detach()
    logits = x.clamp(min=-1e9)
    moved = logits - logits.detach()
    return p + {moves}""",
        says=f"The values of your softmax are right, but {says}",
    )


def of_log_softmax(mistake_id: str, moves: str, says: str) -> Mistake:
    """`moves`: what is added to the log-probabilities, with `p` for the probabilities."""
    return Mistake(
        mistake_id,
        find="    return shifted - log_total",
        replace=f"""\
    log_probs = (shifted - log_total).detach()
    p, logits = log_probs.exp(), x.clamp(min=-1e9)
    moved = logits - logits.detach()
    return log_probs + {moves}""",
        says=f"The values of your log_softmax are right, but {says}",
    )


WEIGHTED = "(p * moved).sum(dim=dim, keepdim=True)"
OF_LOG = "upstream - p * sum(upstream), p being the probabilities"

MISTAKES = [
    of_softmax(
        "diagonal-gradient",
        "p * (1 - p) * moved",
        "its gradient is p * (1 - p) * upstream, as if each probability depended on its own logit alone. "
        "That is only the diagonal of the Jacobian: every logit changes every probability of its slice, so "
        "it is p * (upstream - sum(p * upstream)).",
    ),
    of_softmax(
        "gradient-summed-along-the-last-dimension",
        "p * moved - p * (p * moved).sum(dim=-1, keepdim=True)",
        "the sum in its gradient runs along the last dimension, whatever dim says. It is p * (upstream - "
        "sum(p * upstream)), with the sum along dim.",
    ),
    of_softmax(
        "gradient-of-log-softmax",
        f"moved - {WEIGHTED}",
        "its gradient is that of log_softmax, upstream - p * sum(upstream). That of the probabilities is p * "
        "(upstream - sum(p * upstream)).",
    ),
    of_log_softmax(
        "log-gradient-summed-along-the-last-dimension",
        "moved - (p * moved).sum(dim=-1, keepdim=True)",
        "the sum in its gradient runs along the last dimension, whatever dim says. It is upstream - p * "
        "sum(upstream), with the sum along dim.",
    ),
    of_log_softmax(
        "log-gradient-of-softmax",
        f"p * moved - p * {WEIGHTED}",
        "its gradient is that of softmax, p * (upstream - sum(p * upstream)). That of the logarithms is "
        f"simpler: {OF_LOG}.",
    ),
    of_log_softmax(
        "log-gradient-with-a-weighted-sum",
        f"moved - p * {WEIGHTED}",
        "the sum in its gradient is weighted: upstream - p * sum(p * upstream). Here it is the plain one: "
        f"{OF_LOG}.",
    ),
    of_log_softmax(
        "log-diagonal-gradient",
        "(1 - p) * moved",
        "its gradient is (1 - p) * upstream, the diagonal of the Jacobian alone. Every logit of a slice is "
        f"in the logarithm of the sum: {OF_LOG}.",
    ),
    Mistake(
        "log-gradient-of-one-chosen-class",
        find="    return shifted - log_total",
        replace="""\
    class ByHand(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(shifted.exp() / log_total.exp())
            return shifted - log_total

        @staticmethod
        def backward(ctx, upstream):
            return upstream - ctx.saved_tensors[0]

    shifted, log_total = shifted.detach(), log_total.detach()
    return ByHand.apply(x)""",
        says="The values of your log_softmax are right, but its gradient is upstream - p. That holds only "
        "where upstream sums to 1 along dim, as where one class is chosen and its log-probability is the "
        f"loss. It is {OF_LOG}.",
    ),
    *right_once("return exps / total", name="softmax"),
    *right_once("return shifted - log_total", name="log-softmax"),
]
