"""Known wrong versions of `layer_norm_backward`: those of layer norm."""

from grader.kit import Mistake

_X = "grad_x = rstd * (grad_normalized - along_ones - normalized * along_x)"
_ONES = "along_ones = grad_normalized.mean(dim=-1, keepdim=True)"
_ALONG = "along_x = (grad_normalized * normalized).mean(dim=-1, keepdim=True)"
_RETURN = "    return grad_x, grad_weight, grad_bias\n"
_LEADING = "    leading = tuple(range(x.dim() - 1))\n"

MISTAKES = [
    Mistake(
        "statistics-constant",
        find=_X,
        replace="grad_x = rstd * grad_normalized",
        says="Your layer norm's grad_x is rstd * weight * dy: you take mean and rstd for constants. Both "
        "depend on x. Take the mean of g = weight * dy away, and normalized * mean(g * normalized).",
    ),
    Mistake(
        "mean-term-forgotten",
        find=_X,
        replace="grad_x = rstd * (grad_normalized - normalized * along_x)",
        says="In layer norm's grad_x the term of the mean is missing: x moves the mean too. Subtract "
        "mean(g), with g = weight * dy.",
    ),
    Mistake(
        "variance-term-forgotten",
        find=_X,
        replace="grad_x = rstd * (grad_normalized - along_ones)",
        says="In layer norm's grad_x the term of the variance is missing: x moves rstd too. Subtract "
        "normalized * mean(g * normalized), with g = weight * dy.",
    ),
    Mistake(
        "variance-term-added",
        find=_X,
        replace="grad_x = rstd * (grad_normalized - along_ones + normalized * along_x)",
        says="In layer norm's grad_x you add the term of the variance. A larger deviation makes "
        "everything smaller: it is subtracted.",
    ),
    Mistake(
        "weight-plus-one",
        find="    grad_normalized = grad_output * weight\n",
        replace="    grad_normalized = grad_output * (1 + weight)\n",
        says="Layer norm's grad_x has 1 + weight where the weight belongs. That is for a variant whose "
        "forward multiplies by 1 + weight; this one multiplies by the weight itself: g = weight * dy.",
    ),
    Mistake(
        "weight-behind-the-means",
        find=_X,
        replace="""\
along_ones = grad_output.mean(dim=-1, keepdim=True)
    along_x = (grad_output * normalized).mean(dim=-1, keepdim=True)
    grad_x = rstd * weight * (grad_output - along_ones - normalized * along_x)""",
        says="In layer norm you take the means of dy and multiply by the weight afterwards. The weight "
        "differs from feature to feature, so it has to come before the means: g = weight * dy.",
    ),
    Mistake(
        "weight-only-in-the-direct-term",
        find=_X,
        replace="""\
along_ones = grad_output.mean(dim=-1, keepdim=True)
    along_x = (grad_output * normalized).mean(dim=-1, keepdim=True)
    grad_x = rstd * (grad_normalized - along_ones - normalized * along_x)""",
        says="In layer norm your two means are of dy without the weight. What reaches the normalized x "
        "is g = weight * dy, in the means as well.",
    ),
    Mistake(
        "weight-left-out",
        find="    grad_normalized = grad_output * weight\n",
        replace="    grad_normalized = grad_output\n",
        says="Layer norm's grad_x does not contain the weight. The normalized x was multiplied by it: go "
        "on with weight * dy.",
    ),
    Mistake(
        "sums-for-means",
        find=_X,
        replace="""\
along_ones = grad_normalized.sum(dim=-1, keepdim=True)
    along_x = (grad_normalized * normalized).sum(dim=-1, keepdim=True)
    grad_x = rstd * (grad_normalized - along_ones - normalized * along_x)""",
        says="In layer norm's grad_x you have sums over the features where means belong: mean and "
        "variance are divided by hidden, and so are their derivatives.",
    ),
    Mistake(
        "sum-for-the-first-mean",
        find=_ONES,
        replace="along_ones = grad_normalized.sum(dim=-1, keepdim=True)",
        says="In layer norm's grad_x you subtract the sum of g = weight * dy. The mean of x is a sum "
        "divided by hidden: subtract the mean of g.",
    ),
    Mistake(
        "sum-for-the-second-mean",
        find=_ALONG,
        replace="along_x = (grad_normalized * normalized).sum(dim=-1, keepdim=True)",
        says="In layer norm's grad_x you have normalized * sum(g * normalized). The variance is a mean: "
        "take mean(g * normalized).",
    ),
    Mistake(
        "divided-by-one-less",
        find=_ALONG,
        replace="along_x = (grad_normalized * normalized).sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)",
        says="In layer norm's variance term you divide by hidden - 1. The variance of a norm is the "
        "biased one: divide by hidden.",
    ),
    Mistake(
        "centred-but-not-normalized",
        find=_ALONG,
        replace="along_x = (grad_normalized * (x - mean)).mean(dim=-1, keepdim=True)",
        says="In layer norm's grad_x one factor rstd is missing from the term of the variance: with x - "
        "mean it is rstd**3 * (x - mean) * mean(g * (x - mean)), that is one rstd with each "
        "normalized x and one in front.",
    ),
    Mistake(
        "rstd-forgotten",
        find=_X,
        replace="grad_x = grad_normalized - along_ones - normalized * along_x",
        says="In layer norm's grad_x the factor rstd is missing: the centred x was multiplied by it.",
    ),
    Mistake(
        "rstd-divided-by",
        find=_X,
        replace="grad_x = (grad_normalized - along_ones - normalized * along_x) / rstd",
        says="In layer norm you divide by rstd. It is one over the standard deviation already: multiply.",
    ),
    Mistake(
        "weight-gradient-of-x",
        find="grad_weight, grad_bias = grad_output * normalized, grad_output",
        replace="grad_weight, grad_bias = grad_output * x, grad_output",
        says="Layer norm's grad_weight is the sum of dy * x in your answer. The weight multiplies the "
        "*normalized* x: sum dy * (x - mean) * rstd.",
    ),
    Mistake(
        "weight-gradient-not-centred",
        find="grad_weight, grad_bias = grad_output * normalized, grad_output",
        replace="grad_weight, grad_bias = grad_output * x * rstd, grad_output",
        says="In layer norm's grad_weight you multiply x by rstd without taking the mean away. The "
        "weight multiplies (x - mean) * rstd.",
    ),
    Mistake(
        "weight-gradient-with-the-weight",
        find="grad_weight, grad_bias = grad_output * normalized, grad_output",
        replace="grad_weight, grad_bias = grad_normalized * normalized, grad_output",
        says="Layer norm's grad_weight contains the weight: you multiply normalized by weight * dy. The "
        "derivative of weight * normalized by the weight is normalized: sum dy * normalized.",
    ),
    Mistake(
        "bias-gradient-with-the-weight",
        find="grad_weight, grad_bias = grad_output * normalized, grad_output",
        replace="grad_weight, grad_bias = grad_output * normalized, grad_normalized",
        says="Your grad_bias contains the weight. The bias is added behind it: its gradient is the sum "
        "of dy.",
    ),
    Mistake(
        "summed-over-the-first-dimension",
        find=_LEADING,
        replace="    leading = (0,) if x.dim() > 1 else ()\n",
        says="Layer norm's grad_weight and grad_bias are summed over the first dimension only. With "
        "(batch, seq, hidden) they are to have the shape (hidden,): sum over all leading "
        "dimensions.",
    ),
    Mistake(
        "summed-over-batch-and-sequence-only",
        find=_LEADING,
        replace="    leading = tuple(range(min(x.dim() - 1, 2)))\n",
        says="In layer norm you sum over two leading dimensions at most. There may be any number of "
        "them: sum over all but the last.",
    ),
    Mistake(
        "averaged-over-the-batch",
        find=_RETURN,
        replace="""\
    rows = x.numel() // x.shape[-1]
    return grad_x, grad_weight / rows, grad_bias / rows
""",
        says="You divide layer norm's grad_weight and grad_bias by the number of vectors. A mean, if the "
        "loss is one, stands in grad_output already: sum.",
    ),
    Mistake(
        "single-vector-summed-up",
        find="    if leading:  # a sum over no dimension would be one over all\n",
        replace="    if True:\n",
        says="For a single vector layer norm's grad_weight and grad_bias are numbers in your answer: its "
        "features are summed (over dimension 0, or over an empty tuple of dimensions, which torch takes for "
        "all of them, for example). Without leading dimensions there is nothing to sum, in either norm.",
    ),
    Mistake(
        "weight-and-bias-swapped",
        find=_RETURN,
        replace="    return grad_x, grad_bias, grad_weight\n",
        says="You return grad_bias before grad_weight. The order is grad_x, grad_weight, grad_bias.",
    ),
    Mistake(
        "means-over-everything",
        find=_X,
        replace="""\
along_ones, along_x = grad_normalized.mean(), (grad_normalized * normalized).mean()
    grad_x = rstd * (grad_normalized - along_ones - normalized * along_x)""",
        says="Your means in layer norm go over the whole tensor. Each vector has statistics of its own: "
        "mean(dim=-1, keepdim=True).",
    ),
    Mistake(
        "statistics-computed-again",
        find="    normalized = (x - mean) * rstd\n",
        replace="""\
    rstd = (x.var(dim=-1, correction=0, keepdim=True) + 1e-5).rsqrt()
    normalized = (x - mean) * rstd
""",
        says="You compute layer norm's rstd again, with an eps of your own (1e-5, say). The forward had "
        "another one: use the rstd that is given.",
    ),
    Mistake(
        "jacobian-of-each-vector",
        find=_X,
        replace="""\
ones = weight.new_ones(x.shape[-1])
    jacobian = ones.diag() - 1 / len(ones) - normalized.unsqueeze(-1) * normalized.unsqueeze(-2) / len(ones)
    grad_x = rstd * (jacobian @ grad_normalized.unsqueeze(-1)).squeeze(-1)""",
        says="You build layer norm's Jacobian, hidden x hidden for each vector: right values, too much "
        "memory. Two means do the same.",
    ),
    Mistake(
        "upstream-overwritten",
        find="    grad_normalized = grad_output * weight\n",
        replace="""\
    kept = grad_output.clone()
    grad_normalized = grad_output.mul_(weight)
    grad_output = kept
""",
        says="You multiply the caller's grad_output by the weight in place. Others may need it (a "
        "residual connection does): make a new tensor.",
    ),
    Mistake(
        "x-overwritten",
        find="    normalized = (x - mean) * rstd\n",
        replace="    normalized = x.sub_(mean) * rstd\n",
        says="You centre x in place. It was saved by forward and belongs to others too: x - mean makes a "
        "new tensor.",
    ),
    Mistake(
        "bias-gradient-averaged",
        find="grad_weight.sum(dim=leading), grad_bias.sum(dim=leading)",
        replace="grad_weight.sum(dim=leading), grad_bias.mean(dim=leading)",
        says="Layer norm's grad_bias is the mean of dy over the leading dimensions in your answer. Every "
        "vector adds its part to it: take the sum, as for grad_weight.",
    ),
]
