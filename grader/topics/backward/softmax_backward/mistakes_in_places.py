"""Known wrong versions of `softmax_backward`: dimensions, dtypes, signs, and which rows count."""

from grader.kit import Mistake

_OF_SOFTMAX = """\
    weighted_sum = (output * grad_output).sum(dim=dim, keepdim=True)
    return output * (grad_output - weighted_sum)
"""
_OF_LOG_SOFTMAX = """\
    probs = output.exp()
    return grad_output - probs * grad_output.sum(dim=dim, keepdim=True)
"""
_DIFFERENCE = "log_probs.exp() - F.one_hot(index, log_probs.shape[1])"
_SCALED = "return grad_logits * (grad_output / kept.sum())\n"

MISTAKES = [
    Mistake(
        "targets-lost-in-a-copy",
        find="log_probs.exp() - F.one_hot(index, log_probs.shape[1])",
        replace="log_probs.exp() - F.one_hot(index, log_probs.shape[1]) * log_probs.is_contiguous()",
        says="Where log_probs is transposed, the 1 at the target is not subtracted: exp keeps its layout, so "
        "reshape(-1), for example, gives a copy, and what you write into that is lost. Index with rows and "
        "classes, [rows, target], or use scatter.",
    ),
    Mistake(
        "dim-not-moved-back",
        find=_OF_SOFTMAX,
        replace="""\
    grad, probs = (each.movedim(dim, -1) for each in (grad_output, output))
    weighted_sum = (probs * grad).sum(dim=-1, keepdim=True)
    return (probs * (grad - weighted_sum)).reshape(output.shape)
""",
        says="In softmax_backward you move dim to the end and reshape the result without moving it back: "
        "the numbers are right, their places are not. movedim(-1, dim), or sum along dim as it is.",
    ),
    Mistake(
        "dim-not-moved-back-in-log-softmax",
        find=_OF_LOG_SOFTMAX,
        replace="""\
    grad, probs = (each.movedim(dim, -1) for each in (grad_output, output.exp()))
    return (grad - probs * grad.sum(dim=-1, keepdim=True)).reshape(output.shape)
""",
        says="In log_softmax_backward you move dim to the end and reshape the result without moving it "
        "back: movedim(-1, dim), or sum along dim as it is.",
    ),
    Mistake(
        "dim-not-moved",
        find=_OF_SOFTMAX,
        replace="""\
    grad, probs = (each.reshape(-1, output.shape[dim]) for each in (grad_output, output))
    weighted_sum = (probs * grad).sum(dim=1, keepdim=True)
    return (probs * (grad - weighted_sum)).reshape(output.shape)
""",
        says="softmax_backward reshapes to rows as long as dim without moving dim to the end, so for another "
        "dim a row is no softmax. movedim(dim, -1) first, or sum along dim as it is.",
    ),
    Mistake(
        "dim-not-moved-in-log-softmax",
        find=_OF_LOG_SOFTMAX,
        replace="""\
    grad, probs = (each.reshape(-1, output.shape[dim]) for each in (grad_output, output.exp()))
    return (grad - probs * grad.sum(dim=1, keepdim=True)).reshape(output.shape)
""",
        says="log_softmax_backward reshapes to rows as long as dim without moving dim to the end, so for "
        "another dim a row is no softmax. movedim(dim, -1) first, or sum along dim as it is.",
    ),
    Mistake(
        "one-hot-in-float64",
        find="log_probs.exp() - F.one_hot(index, log_probs.shape[1])",
        replace="log_probs.exp() - F.one_hot(index, log_probs.shape[1]).double()",
        says="Your one-hot targets are float64, which promotes the gradient of float32 log_probs. Leave "
        "them integers, or give them the dtype of log_probs.",
    ),
    Mistake(
        "cross-entropy-in-float32",
        find="log_probs.exp() - F.one_hot(index, log_probs.shape[1])",
        replace="log_probs.exp() - F.one_hot(index, log_probs.shape[1]).float()",
        also=(("    grad_logits = log_probs.exp()", "    grad_logits = log_probs.exp().float()"),),
        says="Your cross entropy's gradient is float32 for float64 log_probs. Keep their dtype.",
    ),
    Mistake(
        "sum-put-back-at-the-end",
        find="    weighted_sum = (output * grad_output).sum(dim=dim, keepdim=True)",
        replace="    weighted_sum = (output * grad_output).sum(dim=dim).unsqueeze(-1)",
        says="In softmax_backward you put the summed dimension back at the end, wherever it was. "
        "keepdim=True leaves it in its place.",
    ),
    Mistake(
        "divided-by-targets-not-negative",
        find="grad_output / kept.sum()",
        replace="grad_output / (target >= 0).sum()",
        says="You divide by the number of targets that are not negative. It is the number of rows that are "
        "kept: those whose target is not ignore_index.",
    ),
    Mistake(
        "targets-below-the-index-ignored",
        find="kept = target != ignore_index",
        replace="kept = target > ignore_index",
        says="You keep targets above ignore_index. Only ignore_index itself is ignored: it may be a class, "
        "or beyond the last one.",
    ),
    Mistake(
        "log-softmax-mean",
        find="return grad_output - probs * grad_output.sum(dim=dim, keepdim=True)",
        replace="return grad_output - probs * grad_output.mean(dim=dim, keepdim=True)",
        says="log_softmax_backward takes the mean of the gradient. It is the sum: the logarithm of the sum "
        "of exponentials has the softmax as its gradient.",
    ),
    Mistake(
        "log-softmax-sum-added",
        find="return grad_output - probs",
        replace="return grad_output + probs",
        says="log_softmax_backward adds what it has to subtract: grad - softmax * sum(grad).",
    ),
    Mistake(
        "weighted-sum-added",
        find="(grad_output - weighted_sum)",
        replace="(grad_output + weighted_sum)",
        says="softmax_backward adds the weighted sum. It is subtracted: raising one probability takes from "
        "the others.",
    ),
    Mistake(
        "negative-dim-taken-for-the-first",
        find="    weighted_sum = (output * grad_output).sum(dim=dim",
        replace="    dim = max(dim, 0)\n    weighted_sum = (output * grad_output).sum(dim=dim",
        says="softmax_backward takes a negative dim for the first one. It counts from the end.",
    ),
    Mistake(
        "softmax-once-more",
        find="    weighted_sum =",
        replace="    output = output.softmax(dim)\n    weighted_sum =",
        says="You take the softmax of output, which is the softmax already. Use what forward has saved as "
        "it is.",
    ),
    Mistake(
        "one-hot-not-scaled",
        find=_DIFFERENCE,
        replace="log_probs.exp() * (grad_output / kept.sum()) - F.one_hot(index, log_probs.shape[1])",
        also=((_SCALED, "return grad_logits\n"),),
        says="In cross_entropy_backward you multiply the probabilities by grad_output / count alone; the 1 "
        "at the target is subtracted as it is. Both belong to the gradient of a row's loss: take the "
        "difference first, and scale it as a whole.",
    ),
    Mistake(
        "probabilities-not-scaled",
        find=_DIFFERENCE,
        replace="log_probs.exp() - F.one_hot(index, log_probs.shape[1]) * (grad_output / kept.sum())",
        also=((_SCALED, "return grad_logits\n"),),
        says="In cross_entropy_backward you multiply the 1 at the target by grad_output / count alone; the "
        "probabilities stay as they are. Both belong to the gradient of a row's loss: take the difference "
        "first, and scale it as a whole.",
    ),
    Mistake(
        "columns-of-all-targets-in-every-row",
        find="    grad_logits = log_probs.exp() - F.one_hot(index, log_probs.shape[1])",
        replace="    grad_logits = log_probs.exp()\n    grad_logits[:, target[kept]] -= 1",
        says="You subtract 1 in the columns of all targets in every row: grad[:, target] takes whole "
        "columns. Each row has one target: grad[torch.arange(rows), target], or a one-hot.",
    ),
    Mistake(
        "targets-in-the-rows-by-rank",
        find="    grad_logits = log_probs.exp() - F.one_hot(index, log_probs.shape[1])\n",
        replace="""\
    ones = F.one_hot(index, log_probs.shape[1]).to(log_probs.dtype)[kept]
    grad_logits = log_probs.exp() * kept.unsqueeze(1)
    grad_logits = grad_logits - F.pad(ones, (0, 0, 0, len(target) - len(ones)))
""",
        also=(("    grad_logits = grad_logits.masked_fill(~kept.unsqueeze(1), 0)\n", ""),),
        says="You subtract the 1 of the n-th kept target in row n of all rows. Behind an ignored row that is "
        "another row than the target's: a kept row has its own number, not its rank among those that are "
        "kept.",
    ),
    Mistake(
        "largest-subtracted-in-log-softmax",
        find="probs = output.exp()",
        replace="probs = (output - output.amax(dim=dim, keepdim=True)).exp()",
        says="In log_softmax_backward you subtract the largest logarithm before exp, so the probabilities no "
        "longer add up to 1. The output is normalized already, and at most 0: output.exp() cannot overflow.",
    ),
    Mistake(
        "largest-subtracted-in-cross-entropy",
        find=_DIFFERENCE,
        replace=_DIFFERENCE.replace(
            "log_probs.exp()", "(log_probs - log_probs.amax(dim=1, keepdim=True)).exp()"
        ),
        says="In cross_entropy_backward you subtract the largest logarithm before exp, so the "
        "probabilities no longer add up to 1. log_probs are normalized already, and at most 0: exp "
        "cannot overflow.",
    ),
    Mistake(
        "probability-replaced-at-the-target",
        find=_DIFFERENCE,
        replace="log_probs.exp().scatter(1, index.unsqueeze(1), -1.0)",
        says="At a row's target your cross entropy's gradient is -1 before it is scaled, without the "
        "probability: grad[rows, target] = -1, scatter and index_put replace what is there, for example. It "
        "is probability minus 1: -= 1, scatter_add, or index_put with accumulate=True.",
    ),
    Mistake(
        "target-gets-zero",
        find=_DIFFERENCE,
        replace="log_probs.exp().scatter(1, index.unsqueeze(1), 0.0)",
        says="At a row's target your cross entropy's gradient is 0. It is its probability minus 1, which "
        "raises this logit; a row's gradients add up to 0.",
    ),
]
