"""Known wrong versions of `softmax_backward`."""

from grader.kit import Mistake

_SOFTMAX = "    return output * (grad_output - weighted_sum)\n"
_SUM = "(output * grad_output).sum(dim=dim, keepdim=True)"
_LOG = "    return grad_output - probs * grad_output.sum(dim=dim, keepdim=True)\n"
_MASKED = "    grad_logits = grad_logits.masked_fill(~kept.unsqueeze(1), 0)\n"
_SCALED = "    return grad_logits * (grad_output / kept.sum())\n"

MISTAKES = [
    Mistake(
        "diagonal-only",
        find=_SOFTMAX,
        replace="    return output * (1 - output) * grad_output\n",
        says="Your softmax's gradient is y (1 - y) dy, as if each output depended on its own input "
        "alone. That is the diagonal of the Jacobian. Every output has all inputs in its "
        "denominator: -y_i y_j off the diagonal.",
    ),
    Mistake(
        "sum-without-the-output",
        find=_SUM,
        replace="grad_output.sum(dim=dim, keepdim=True)",
        says="In softmax's gradient you subtract sum(dy). What is subtracted is the mean of dy under the "
        "probabilities: sum(y * dy).",
    ),
    Mistake(
        "mean-instead-of-the-sum",
        find=_SUM,
        replace="(output * grad_output).mean(dim=dim, keepdim=True)",
        says="You average y * dy over the entries. The probabilities are weights already, which add up "
        "to 1: take their sum.",
    ),
    Mistake(
        "one-sum-for-all-rows",
        find=_SUM,
        replace="(output * grad_output).sum()",
        says="In softmax's gradient you sum over the whole tensor, so the rows of a batch get mixed. "
        "Each row is a softmax of its own: sum along dim only, with keepdim=True.",
    ),
    Mistake(
        "softmax-always-along-the-last",
        find=_SUM,
        replace="(output * grad_output).sum(dim=-1, keepdim=True)",
        says="Your softmax_backward sums along the last dimension whatever dim is. Sum along the "
        "dimension of the softmax.",
    ),
    Mistake(
        "output-factor-forgotten",
        find=_SOFTMAX,
        replace="    return grad_output - weighted_sum\n",
        says="You leave out the factor y in front: the gradient is y * (dy - sum(y * dy)). Without it an "
        "entry of probability 0 would get a gradient.",
    ),
    Mistake(
        "weighted-sum-not-subtracted",
        find=_SOFTMAX,
        replace="    return output * grad_output\n",
        says="Your softmax's gradient is y * dy: the sum is missing. Raising one input lowers all other "
        "probabilities: subtract sum(y * dy) from dy before the product.",
    ),
    Mistake(
        "softmax-taken-for-log-softmax",
        find=_SOFTMAX,
        replace="    return grad_output - output * grad_output.sum(dim=dim, keepdim=True)\n",
        says="Your softmax_backward is that of log-softmax, dy - y * sum(dy). For softmax itself it is y "
        "* (dy - sum(y * dy)).",
    ),
    Mistake(
        "log-softmax-without-exp",
        find="    probs = output.exp()\n",
        replace="    probs = output\n",
        says="In log_softmax_backward you take the saved output for probabilities. It is their "
        "logarithms: the probabilities are output.exp().",
    ),
    Mistake(
        "softmax-of-the-log-softmax-by-the-wrong-formula",
        find=_LOG,
        replace="    return probs * (grad_output - (probs * grad_output).sum(dim=dim, keepdim=True))\n",
        says="Your log_softmax_backward is that of softmax. The output is a logarithm here, x - "
        "logsumexp(x), whose derivative is simpler: dy - y * sum(dy), y being the probabilities.",
    ),
    Mistake(
        "log-softmax-sum-weighted",
        find=_LOG,
        replace="    return grad_output - (probs * grad_output).sum(dim=dim, keepdim=True)\n",
        says="In log_softmax_backward you subtract sum(y * dy) from every entry. The probability stands "
        "outside the sum: dy - y * sum(dy).",
    ),
    Mistake(
        "log-softmax-sum-weighted-twice",
        find=_LOG,
        replace="    return grad_output - probs * (probs * grad_output).sum(dim=dim, keepdim=True)\n",
        says="In log_softmax_backward you subtract y * sum(y * dy), with the weighted sum of softmax. Here "
        "the sum is the plain one: dy - y * sum(dy).",
    ),
    Mistake(
        "log-softmax-sum-forgotten",
        find=_LOG,
        replace="    return grad_output * (1 - probs)\n",
        says="Your log_softmax_backward is (1 - y) dy, the diagonal of the Jacobian. All inputs stand in "
        "the logsumexp: subtract y * sum(dy), the sum over the whole row.",
    ),
    Mistake(
        "log-softmax-always-along-the-last",
        find=_LOG,
        replace="    return grad_output - probs * grad_output.sum(dim=-1, keepdim=True)\n",
        says="Your log_softmax_backward sums along the last dimension whatever dim is. Sum along the "
        "dimension of the softmax.",
    ),
    Mistake(
        "divided-by-all-rows",
        find="grad_output / kept.sum()",
        replace="grad_output / len(target)",
        says="You divide by the number of all rows. The mean is over the kept ones: ignored rows do not "
        "count, or padding makes the gradient smaller.",
    ),
    Mistake(
        "not-divided",
        find=_SCALED,
        replace="    return grad_logits * grad_output\n",
        says="You do not divide by the number of kept rows: this is the gradient of the sum of the "
        "losses. The loss is their mean.",
    ),
    Mistake(
        "divided-by-classes-too",
        find="grad_output / kept.sum()",
        replace="grad_output / (kept.sum() * log_probs.shape[1])",
        says="You divide by the number of classes too (a mean over all entries). The loss is a mean over "
        "rows: divide by the number of kept rows alone.",
    ),
    Mistake(
        "upstream-ignored",
        find=_SCALED,
        replace="    return grad_logits / kept.sum()\n",
        says="You leave grad_output out of cross_entropy_backward, as if the loss were the end. It may "
        "be scaled or one term of a sum: multiply by its gradient.",
    ),
    Mistake(
        "sign-turned",
        find="log_probs.exp() - F.one_hot(index, log_probs.shape[1])",
        replace="F.one_hot(index, log_probs.shape[1]) - log_probs.exp()",
        says="Your gradient of cross entropy has the wrong sign: you have one-hot minus probabilities, "
        "which points to a lower loss. The loss is *minus* the log-probability: probabilities minus "
        "one-hot.",
    ),
    Mistake(
        "one-hot-forgotten",
        find="log_probs.exp() - F.one_hot(index, log_probs.shape[1])",
        replace="log_probs.exp()",
        says="The gradient of the logits does not depend on target in your cross entropy: you return the "
        "probabilities. Subtract 1 at each row's target.",
    ),
    Mistake(
        "log-probs-not-exponentiated",
        find="log_probs.exp() - F",
        replace="log_probs - F",
        says="In cross_entropy_backward you subtract the one-hot rows from log-probabilities. What "
        "stands there is the softmax: log_probs.exp().",
    ),
    Mistake(
        "only-the-targets",
        find="log_probs.exp() - F.one_hot(index, log_probs.shape[1])",
        replace="log_probs.exp() * 0 - F.one_hot(index, log_probs.shape[1])",
        says="You give the gradient of log_probs, -1 / n at the targets and 0 elsewhere. It has to go on "
        "through the log-softmax to the logits: there it becomes probabilities minus one-hot.",
    ),
    Mistake(
        "ignored-rows-get-their-softmax",
        find=_MASKED,
        replace="    grad_logits = log_probs.exp().where(~kept.unsqueeze(1), grad_logits)\n",
        says="Your ignored rows get their softmax as gradient: you leave out the 1 of the target only. "
        "They have no part in the loss: their whole row is 0.",
    ),
    Mistake(
        "ignored-rows-not-zeroed",
        find=_MASKED,
        replace="",
        says="Your ignored rows get a gradient, as if their target were class 0. They have no part in "
        "the loss: set their rows to 0.",
    ),
    Mistake(
        "negative-index-wraps-round",
        find=_MASKED,
        replace="""\
    rows = target.new_ones(len(target)).cumsum(0) - 1
    wrapped = log_probs.exp()
    wrapped[rows, target] -= 1
    grad_logits = wrapped.where(~kept.unsqueeze(1), grad_logits)
""",
        says="You index with the target of ignored rows. -1 counts from the end and is the last class, "
        "silently; -100 or 255 raises. Put a class there first (masked_fill), and set these rows to "
        "0 afterwards.",
    ),
    Mistake(
        "only-negative-targets-made-safe",
        find="target.masked_fill(~kept, 0)",
        replace="target.clamp(min=0)",
        says="You make targets safe with clamp, which catches a negative ignore_index only: 255 still is "
        "no class. Replace what equals ignore_index, whatever it is.",
    ),
    Mistake(
        "only-negative-targets-made-safe-to-scatter",
        find="target.masked_fill(~kept, 0)",
        replace="target.clamp(min=0)",
        also=(
            (
                "log_probs.exp() - F.one_hot(index, log_probs.shape[1])",
                "log_probs.exp().scatter_add(1, index.unsqueeze(1), -log_probs.new_ones(len(index), 1))",
            ),
        ),
        says="You make targets safe with clamp, which catches a negative ignore_index only: 255 still is "
        "no class. Replace what equals ignore_index, whatever it is.",
    ),
    Mistake(
        "places-on-the-default-device",
        find="F.one_hot(index, log_probs.shape[1])",
        replace="(torch.arange(log_probs.shape[1]) == index.unsqueeze(1)).to(log_probs)",
        also=(("import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"),),
        says="You make a tensor without saying where (torch.arange, torch.zeros, …), so it is on the "
        "default device, and not beside the arguments when these are on another. Give it their "
        "device.",
    ),
    Mistake(
        "ignore-index-fixed",
        find="kept = target != ignore_index",
        replace="kept = target != -100",
        says="You compare the target with -100 and not with ignore_index, which may be any other integer.",
    ),
    Mistake(
        "negative-targets-ignored",
        find="kept = target != ignore_index",
        replace="kept = target >= 0",
        says="You ignore negative targets, or those that are no class, instead of those that equal "
        "ignore_index, which may be a class, too.",
    ),
    Mistake(
        "nothing-ignored",
        find="kept = target != ignore_index",
        replace="kept = target == target",
        says="Your cross_entropy_backward does not look at ignore_index: each row whose target it is "
        "counts as kept, be it by an index that is no class or by a class. Their gradient is 0, and "
        "they do not count.",
    ),
    Mistake(
        "saved-log-probs-overwritten",
        find="log_probs.exp() - F",
        replace="log_probs.exp_() - F",
        says="You exponentiate log_probs in place. They were saved by forward and belong to others too: "
        "exp(), without the underscore, makes a new tensor.",
    ),
    Mistake(
        "saved-output-overwritten",
        find="    probs = output.exp()\n",
        replace="    probs = output.exp_()\n",
        says="You exponentiate the saved output of log-softmax in place. Others may need it: exp(), "
        "without the underscore, makes a new tensor.",
    ),
    Mistake(
        "upstream-overwritten",
        find=_SOFTMAX,
        replace="    return grad_output.sub_(weighted_sum).mul_(output)\n",
        says="softmax_backward writes over one of its arguments (in place, also on a way to its result). The "
        "gradient that comes may go to others as well, and the output was saved: make new tensors.",
    ),
    Mistake(
        "target-overwritten",
        find="target.masked_fill(~kept, 0)",
        replace="target.masked_fill_(~kept, 0)",
        says="You overwrite the ignored targets in the caller's tensor, where they are class 0 from then "
        "on. masked_fill, without the underscore, makes a new tensor.",
    ),
]
