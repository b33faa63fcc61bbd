"""Known wrong versions of `layer_norm_backward`: those of RMS norm."""

from grader.kit import Mistake

_RMS_X = "grad_x = rstd * (grad_scaled - normalized * share_of_x)"
_SHARE = "share_of_x = (grad_scaled * normalized).mean(dim=-1, keepdim=True)"
_RMS_RETURN = "    return grad_x, (grad_output * normalized).reshape(-1, x.shape[-1]).sum(dim=0)\n"

MISTAKES = [
    Mistake(
        "rms-statistics-computed-again",
        find="    normalized = x * rstd\n",
        replace="""\
    rstd = (x.square().mean(dim=-1, keepdim=True) + 1e-5).rsqrt()
    normalized = x * rstd
""",
        says="You compute RMS norm's rstd again, with an eps of your own (1e-5, say). The forward had "
        "another one: use the rstd that is given.",
    ),
    Mistake(
        "rms-centres",
        find=_RMS_X,
        replace="""\
along_ones = grad_scaled.mean(dim=-1, keepdim=True)
    grad_x = rstd * (grad_scaled - along_ones - normalized * share_of_x)""",
        says="Your rms_norm_backward subtracts mean(g), as layer norm's does. RMS norm takes no mean "
        "away, so that term does not exist: rstd * (g - normalized * mean(g * normalized)).",
    ),
    Mistake(
        "rms-rstd-constant",
        find=_RMS_X,
        replace="grad_x = rstd * grad_scaled",
        says="In RMS norm you take rstd for a constant: rstd * weight * dy. It depends on x: subtract "
        "normalized * mean(g * normalized).",
    ),
    Mistake(
        "rms-weight-behind-the-mean",
        find=_RMS_X,
        replace="""\
share_of_x = (grad_output * normalized).mean(dim=-1, keepdim=True)
    grad_x = rstd * weight * (grad_output - normalized * share_of_x)""",
        says="In RMS norm you take the mean of dy * normalized and multiply by the weight afterwards. "
        "The weight differs from feature to feature, so it comes first: g = weight * dy.",
    ),
    Mistake(
        "rms-sum-for-the-mean",
        find=_SHARE,
        replace="share_of_x = (grad_scaled * normalized).sum(dim=-1, keepdim=True)",
        says="In RMS norm you have normalized * sum(g * normalized). The mean square is a mean: take "
        "mean(g * normalized).",
    ),
    Mistake(
        "rms-rstd-forgotten",
        find=_RMS_X,
        replace="grad_x = grad_scaled - normalized * share_of_x",
        says="In RMS norm's grad_x the factor rstd in front is missing: x was multiplied by it.",
    ),
    Mistake(
        "rms-weight-left-out",
        find="    grad_scaled = grad_output * weight\n",
        replace="    grad_scaled = grad_output\n",
        says="RMS norm's grad_x does not contain the weight. The normalized x was multiplied by it: go "
        "on with weight * dy.",
    ),
    Mistake(
        "rms-weight-plus-one",
        find="    grad_scaled = grad_output * weight\n",
        replace="    grad_scaled = grad_output * (1 + weight)\n",
        says="RMS norm's grad_x has 1 + weight where the weight belongs. That is for Gemma's variant, whose "
        "forward multiplies by 1 + weight; this one multiplies by the weight itself: g = weight * dy.",
    ),
    Mistake(
        "rms-weight-gradient-with-the-weight",
        find=_RMS_RETURN,
        replace="    return grad_x, (grad_scaled * normalized).reshape(-1, x.shape[-1]).sum(dim=0)\n",
        says="RMS norm's grad_weight contains the weight: you multiply normalized by weight * dy. Sum dy "
        "* normalized.",
    ),
    Mistake(
        "rms-x-not-normalized",
        find=_SHARE,
        replace="share_of_x = (grad_scaled * x).mean(dim=-1, keepdim=True)",
        says="In RMS norm's grad_x one factor rstd is missing from the second term: with x it is rstd**3 "
        "* x * mean(g * x), that is one rstd with each normalized x and one in front.",
    ),
    Mistake(
        "rms-weight-gradient-of-x",
        find=_RMS_RETURN,
        replace="    return grad_x, (grad_output * x).reshape(-1, x.shape[-1]).sum(dim=0)\n",
        says="RMS norm's grad_weight is the sum of dy * x in your answer. The weight multiplies the "
        "normalized x: sum dy * x * rstd.",
    ),
    Mistake(
        "rms-weight-gradient-over-the-first-dimension",
        find=_RMS_RETURN,
        replace="""\
    products = grad_output * normalized
    return grad_x, products.sum(dim=0) if x.dim() > 1 else products
""",
        says="RMS norm's grad_weight is summed over the first dimension only. With (batch, seq, hidden) "
        "it is to have the shape (hidden,): sum over all leading dimensions.",
    ),
    Mistake(
        "rms-weight-left-out-of-the-mean",
        find=_SHARE,
        replace="share_of_x = (grad_output * normalized).mean(dim=-1, keepdim=True)",
        says="In RMS norm's second term you take the mean of dy * normalized, without the weight. It is "
        "normalized * mean(g * normalized), with g = weight * dy in both terms.",
    ),
]
