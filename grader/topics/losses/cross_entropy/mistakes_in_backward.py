"""Known wrong versions of `cross_entropy` in a backward pass of one's own; all values are right."""

from grader.kit import Mistake

DROPPED = "    losses = losses.masked_fill(~kept, 0)\n"
SMOOTHED = "(1 - label_smoothing) * onehot + label_smoothing / logits.shape[1]"
OF_TARGET = "target_weight.unsqueeze(1)"
RIGHT = (
    "With q[c] as the factor of -log p[c] in a row's loss, the row's gradient is sum(q) * p - q, and 0 where "
    "the row is ignored."
)


def with_gradients(id_: str, total: str, q: str, says: str, ignored: str = "gone") -> Mistake:
    """The gradient of each row is total * p - q. Ignored rows have none ("gone"), `p`, or that of class 0
    ("kept").
    """
    emptied = ".masked_fill(~kept.unsqueeze(1), 0)" if ignored == "p" else ""
    gone = ".masked_fill(~kept, 0)" if ignored == "gone" else ""
    return Mistake(
        id_,
        find=DROPPED,
        replace=f"""\
    onehot = logits.new_zeros(logits.shape).scatter(1, index.unsqueeze(1), 1.0)
    q = ({q}){emptied}
    # The gradient of log(sum(exp(logits))) is p.
    slope = ({total} * (logits - log_probs)[:, 0] - (q * logits).sum(dim=1)){gone}
    losses = losses.detach().masked_fill(~kept, 0) + (slope - slope.detach())
""",
        says=f"Your losses are right, but not the gradient of the logits: {says} {RIGHT}",
    )


WEIGHTED = f"({SMOOTHED}) * weight"

MISTAKES = [
    with_gradients(
        "gradient-with-p-once",
        "1",
        WEIGHTED,
        "it is p - q, as if the factors q of a row always summed to 1. With class weights they do not, so p "
        "has to be multiplied by their sum.",
    ),
    with_gradients(
        "gradient-with-p-once-and-in-ignored-rows",
        "1",
        WEIGHTED,
        "it is p - q, as if the factors q of a row always summed to 1. With class weights they do not, and "
        "in an ignored row they are 0, where p alone is left.",
        ignored="p",
    ),
    with_gradients(
        "gradient-with-p-once-and-ignored-rows-kept",
        "1",
        WEIGHTED,
        "it is p - q, as if the factors q of a row always summed to 1, which they do not with class weights; "
        "and ignored rows have one too, that of class 0.",
        ignored="kept",
    ),
    with_gradients(
        "gradient-with-the-targets-weight",
        "target_weight",
        f"({SMOOTHED}) * {OF_TARGET}",
        "you multiply the whole row by the weight of its target. With label smoothing every class counts "
        "with a weight of its own.",
    ),
    with_gradients(
        "gradient-without-weights",
        "1",
        SMOOTHED,
        "it leaves the class weights out.",
    ),
    with_gradients(
        "gradient-without-smoothing",
        "target_weight",
        f"onehot * {OF_TARGET}",
        "it leaves label smoothing out.",
    ),
    with_gradients(
        "gradient-without-weights-and-smoothing",
        "1",
        "onehot",
        "it is p - onehot, without class weights and label smoothing.",
    ),
    with_gradients(
        "gradient-in-ignored-rows",
        "q.sum(dim=1)",
        WEIGHTED,
        "ignored rows have one, although their loss is 0: that of class 0, which stands in for their target, "
        "for example.",
        ignored="kept",
    ),
    Mistake(
        "upstream-gradient-left-out",
        find=DROPPED,
        replace=f"""\
{DROPPED}\
    if losses.requires_grad:
        losses.register_hook(lambda upstream: upstream.new_ones(upstream.shape))
""",
        says="Your losses are right, but the gradients of the rows do not depend on the gradient that comes "
        "from above, as if it were 1 for each. Backward gets it (grad_output, for example): multiply each "
        "row of the logits' gradient by its own.",
    ),
    Mistake(
        "needed-backwards-and-overwritten",
        find="    losses = losses.masked_fill(~kept, 0)\n",
        replace="""\
    import torch

    which = ("memory", logits.shape, logits.dtype)
    memory = cross_entropy.__dict__.setdefault(which, torch.zeros_like(logits)).data
    memory.fill_(label_smoothing / logits.shape[1])
    memory.scatter_(1, index[:, None], 1 - label_smoothing + label_smoothing / logits.shape[1])
    memory.mul_(weight.detach()).masked_fill_(~kept[:, None], 0.0)
    losses = -(memory * log_probs).sum(dim=1)
""",
        says="What the gradients need of one call, the next one overwrites: a tensor that is kept for all "
        "calls holds the targets' distribution (or the softmax), say, and .data or detach() hide from "
        "autograd that it changes. Two losses may be computed before the first backward: make a new tensor "
        "in each call.",
    ),
]
