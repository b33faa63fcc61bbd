"""Known wrong versions of `attention_backward` that take something else than the row sums away."""

from grader.kit import Mistake

_DELTA = "    delta = (weights * grad_weights).sum(dim=-1, keepdim=True)\n"
_SCALED = "    grad_scores = weights * (grad_weights - delta) * scale\n"
_BLOCK_DELTA = "    delta = (grad_output * output).sum(dim=-1, keepdim=True)  # (batch, heads, q_len, 1)\n"
_BLOCK_SCALED = "            grad_scores = weights * (grad_weights - delta[:, :, rows]) * scale\n"
_RIGHT = "It is P * (dP - rowsum(P * dP)), so that each key's part is in proportion to its weight."

MISTAKES = [
    Mistake(
        "plain-mean-of-the-products",
        find=_SCALED,
        replace="""\
    products = weights * grad_weights
    grad_scores = (products - products.mean(dim=-1, keepdim=True)) * scale
""",
        says="In attention_backward you take the plain mean of P * dP away from every key: the row then adds "
        f"up to 0, as it has to, but keys without weight get a gradient. {_RIGHT}",
    ),
    Mistake(
        "row-sum-taken-from-the-products",
        find=_SCALED,
        replace="    grad_scores = (weights * grad_weights - delta) * scale\n",
        says=f"In attention_backward you take the row sum away from P * dP, without the factor P. {_RIGHT}",
    ),
    Mistake(
        "row-mean-of-the-gradient",
        find=_DELTA,
        replace="    delta = grad_weights.mean(dim=-1, keepdim=True)\n",
        says="In attention_backward you subtract the plain mean of dP. What is subtracted is its mean under "
        "the weights: rowsum(P * dP).",
    ),
    Mistake(
        "row-mean-of-the-products",
        find=_DELTA,
        replace="    delta = (weights * grad_weights).mean(dim=-1, keepdim=True)\n",
        says="In attention_backward you divide rowsum(P * dP) by the number of keys: a mean where the sum "
        "belongs. The weights add up to 1 already.",
    ),
    Mistake(
        "delta-taken-from-the-products-of-a-block",
        find=_BLOCK_SCALED,
        replace="            grad_scores = (weights * grad_weights - delta[:, :, rows]) * scale\n",
        says="In flash_attention_backward you take delta away from P * dP, without the factor P. It is "
        "P * (dP - delta).",
    ),
    Mistake(
        "delta-a-mean-over-the-features",
        find=_BLOCK_DELTA,
        replace=_BLOCK_DELTA.replace(".sum(", ".mean("),
        says="In flash_attention_backward your delta is the mean of dO * O over the features. It is their "
        "sum, which equals rowsum(P * dP).",
    ),
]
