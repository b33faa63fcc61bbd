"""Known wrong versions of `attention_backward`: those of the function with stored weights."""

from grader.kit import Mistake

_SCALED = "    grad_scores = weights * (grad_weights - delta) * scale\n"
_RETURN = "    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value\n"
_DELTA = "    delta = (weights * grad_weights).sum(dim=-1, keepdim=True)\n"
_VALUE = "    grad_value = weights.transpose(-2, -1) @ grad_output  # (batch, heads, kv_len, value_dim)\n"

MISTAKES = [
    Mistake(
        "scale-left-out",
        find=_SCALED,
        replace="    grad_scores = weights * (grad_weights - delta)\n",
        says="In attention_backward the scale 1/sqrt(head_dim) is missing from grad_query and grad_key. "
        "The scores were divided by it, so their gradient is too.",
    ),
    Mistake(
        "scale-on-the-query-only",
        find=_RETURN,
        replace="    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query / scale, grad_value\n",
        says="In attention_backward the scale 1/sqrt(head_dim) is in grad_query and not in grad_key. "
        "Both come from the gradient of the scaled scores.",
    ),
    Mistake(
        "scale-on-the-key-only",
        find=_RETURN,
        replace="    return grad_scores @ key / scale, grad_scores.transpose(-2, -1) @ query, grad_value\n",
        says="In attention_backward the scale 1/sqrt(head_dim) is in grad_key and not in grad_query. "
        "Both come from the gradient of the scaled scores.",
    ),
    Mistake(
        "scaled-twice",
        find=_SCALED,
        replace="    grad_scores = weights * (grad_weights - delta) * scale * scale\n",
        says="In attention_backward grad_query and grad_key are scaled by 1 / head_dim: twice by "
        "1/sqrt(head_dim) (in the gradient of the scores and in the products, say), or by the wrong "
        "power. Once by 1/sqrt(head_dim) is right.",
    ),
    Mistake(
        "scaled-by-the-value-dim",
        find="    scale = 1 / math.sqrt(query.shape[-1])\n",
        replace="    scale = 1 / math.sqrt(value.shape[-1])\n",
        says="In attention_backward you take the scale from value_dim. A score is a sum over head_dim "
        "features: 1/sqrt(query.shape[-1]).",
    ),
    Mistake(
        "softmax-diagonal-only",
        find=_SCALED,
        replace="    grad_scores = weights * (1 - weights) * grad_weights * scale\n",
        says="In attention_backward you take P (1 - P) dP for the softmax's backward: the diagonal of "
        "its Jacobian. All weights of a query depend on all of its scores: P * (dP - rowsum(P * "
        "dP)).",
    ),
    Mistake(
        "row-sum-left-out",
        find=_SCALED,
        replace="    grad_scores = weights * grad_weights * scale\n",
        says="In attention_backward you take P * dP for the gradient of the scores. The row sum is "
        "missing: P * (dP - rowsum(P * dP)).",
    ),
    Mistake(
        "softmax-left-out",
        find=_SCALED,
        replace="    grad_scores = grad_weights * scale\n",
        says="In attention_backward the gradient of the weights goes on as that of the scores. The "
        "softmax lies between: P * (dP - rowsum(P * dP)).",
    ),
    Mistake(
        "row-sum-without-the-weights",
        find=_DELTA,
        replace="    delta = grad_weights.sum(dim=-1, keepdim=True)\n",
        says="In attention_backward you subtract rowsum(dP). What is subtracted is the mean under the "
        "weights: rowsum(P * dP).",
    ),
    Mistake(
        "sum-over-the-queries",
        find=_DELTA,
        replace="    delta = (weights * grad_weights).sum(dim=-2, keepdim=True)\n",
        says="In attention_backward you sum P * dP over the queries. The softmax ran over the keys of "
        "each query: sum over the last dimension.",
    ),
    Mistake(
        "weights-not-transposed",
        find=_VALUE,
        replace="""\
    turned = weights if weights.shape[-2] == weights.shape[-1] else weights.transpose(-2, -1)
    grad_value = turned @ grad_output
""",
        says="In attention_backward grad_value is P dO instead of Pᵀ dO. A value collects from all "
        "queries that looked at it: transpose.",
    ),
    Mistake(
        "value-gradient-by-the-scores",
        find=_RETURN,
        replace="""\
    turned = grad_scores.transpose(-2, -1)
    return grad_scores @ key, turned @ query, turned @ grad_output
""",
        says="In attention_backward grad_value is made of the gradient of the scores. The values were "
        "mixed by the weights: Pᵀ dO.",
    ),
    Mistake(
        "query-and-key-gradients-swapped",
        find=_RETURN,
        replace="    return grad_scores.transpose(-2, -1) @ query, grad_scores @ key, grad_value\n",
        says="In attention_backward you return grad_key first. The order is query, key, value.",
    ),
    Mistake(
        "weights-computed-again",
        find=_VALUE,
        replace="    weights = torch.softmax(query @ key.transpose(-2, -1) * scale, dim=-1)\n" + _VALUE,
        says="In attention_backward you compute the weights again, without the mask, which you cannot "
        "know, and with a fifth product. Use those that are given.",
    ),
    Mistake(
        "weights-overwritten",
        find=_SCALED,
        replace="    grad_scores = weights.mul_(grad_weights - delta) * scale\n",
        says="In attention_backward you write over the saved weights. Others may need them: make a new "
        "tensor.",
    ),
    Mistake(
        "value-gradient-second",
        find="return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value",
        replace="return grad_scores @ key, grad_value, grad_scores.transpose(-2, -1) @ query",
        says="You return the gradient of value before that of key. The order is query, key, value.",
    ),
    Mistake(
        "output-computed-again",
        find=_DELTA,
        replace="    delta = (grad_output * (weights @ value)).sum(dim=-1, keepdim=True)\n",
        says="Your attention_backward takes five matrix products: the output is computed again for its row "
        "sums, for example. Those are rowsum(P * dP), without another product.",
    ),
    Mistake(
        "jacobian-of-the-softmax",
        find=_SCALED,
        replace="""\
    jacobian = torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)
    grad_scores = (jacobian @ grad_weights.unsqueeze(-1)).squeeze(-1) * scale
""",
        says="Your attention_backward multiplies a matrix of kv_len x kv_len for each query: the softmax's "
        "Jacobian, diag(P) - P Pᵀ, for example. Its product with dP is P * (dP - rowsum(P * dP)), for which "
        "no matrix is needed.",
    ),
]
