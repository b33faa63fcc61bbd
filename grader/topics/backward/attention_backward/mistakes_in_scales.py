"""Known wrong versions of `attention_backward`: the scale kept in the queries, and masks."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import mask_mistakes

SIZES = "q_len, kv_len, scale = query.shape[2], key.shape[2], 1 / math.sqrt(query.shape[-1])"
SCORES = "scores = query_block @ key_block.transpose(-2, -1) * scale"
GRAD_SCORES = "grad_scores = weights * (grad_weights - delta[:, :, rows]) * scale"
TO_QUERY = "grad_query[:, :, rows] += grad_scores @ key_block"
TO_KEY = "grad_key[:, :, columns] += grad_scores.transpose(-2, -1) @ query_block"
WEIGHTS = "weights = torch.exp(scores - logsumexp[:, :, rows])"
LATER = "later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)"

MISTAKES = [
    mask_mistakes.fills_zero("later"),
    Mistake(
        "block-scale-left-out-of-the-query-gradient",
        find=TO_QUERY,
        replace="grad_query[:, :, rows] += grad_scores @ key_block / scale",
        says="In blocks your gradient of the query lacks the scale: with the scale folded into the queries, "
        "that of the key has it already, but that of the query has to be multiplied by it.",
    ),
    Mistake(
        "block-scale-left-out-of-the-key-gradient",
        find=TO_KEY,
        replace=f"{TO_KEY} / scale",
        says="In blocks your gradient of the key lacks the scale: with the scale folded into the keys, that "
        "of the query has it already, but that of the key has to be multiplied by it.",
    ),
    Mistake(
        "block-scale-twice-in-the-key-gradient",
        find=TO_KEY,
        replace=f"{TO_KEY} * scale",
        says="In blocks your gradient of the key has the scale 1/sqrt(head_dim) twice, that of the query "
        "once. With the scale folded into the queries, for example, the product with them has it already.",
    ),
    Mistake(
        "block-scale-twice-in-the-query-gradient",
        find=TO_QUERY,
        replace="grad_query[:, :, rows] += grad_scores @ key_block * scale",
        says="In blocks your gradient of the query has the scale 1/sqrt(head_dim) twice, that of the key "
        "once. With the scale folded into the keys, for example, the product with them has it already.",
    ),
    Mistake(
        "block-scaled-twice",
        find=GRAD_SCORES,
        replace=f"{GRAD_SCORES} * scale",
        says="In blocks your gradients of query and key are scaled by 1 / head_dim: twice by "
        "1/sqrt(head_dim) (in the gradient of the scores and in the products, say), or by the wrong power. "
        "Once by 1/sqrt(head_dim) is right.",
    ),
    Mistake(
        "block-powers-of-two-of-a-natural-logarithm",
        find=WEIGHTS,
        replace="weights = torch.exp2(scores * math.log2(math.e) - logsumexp[:, :, rows])",
        says="In blocks your weights are exp(scores - ln 2 * logsumexp): you take powers of 2 of scores "
        "times log2(e), for example, and subtract the logsumexp as it came. It is a natural logarithm, so "
        "it has to be multiplied by log2(e) too; or take exp(scores - logsumexp).",
    ),
    Mistake(
        "block-powers-of-two",
        find=WEIGHTS,
        replace="weights = torch.exp2(scores - logsumexp[:, :, rows])",
        says="In blocks your weights are powers of 2 of scores - logsumexp. Both belong to the base e: "
        "exp(scores - logsumexp), or exp2 of log2(e) times the difference.",
    ),
    Mistake(
        "block-exp-in-units-of-log2",
        find=WEIGHTS,
        replace="weights = torch.exp((scores - logsumexp[:, :, rows]) * math.log2(math.e))",
        says="In blocks your weights are exp(log2(e) * (scores - logsumexp)). What is multiplied by log2(e) "
        "belongs to exp2; with exp leave log2(e) out: exp(scores - logsumexp).",
    ),
    Mistake(
        "block-exp-of-scores-in-units-of-log2",
        find=WEIGHTS,
        replace="weights = torch.exp(scores * math.log2(math.e) - logsumexp[:, :, rows])",
        says="In blocks your weights are exp(log2(e) * scores - logsumexp). What is multiplied by log2(e) "
        "belongs to exp2, the logsumexp too; with exp leave log2(e) out: exp(scores - logsumexp).",
    ),
    Mistake(
        "query-scaled-in-place",
        find=SIZES,
        replace=f"{SIZES}\n    query = query.contiguous().mul_(scale)",
        also=(
            (SCORES, SCORES.removesuffix(" * scale")),
            (GRAD_SCORES, GRAD_SCORES.removesuffix(" * scale")),
            (TO_QUERY, f"{TO_QUERY} * scale"),
        ),
        says="You scale the caller's query in place: contiguous() copies nothing where it is contiguous. "
        "Make a new tensor: query * scale.",
    ),
    Mistake(
        "mask-of-all-pairs",
        find=SIZES,
        replace=f"{SIZES}\n"
        "    hidden = torch.ones(q_len, kv_len, dtype=torch.bool, device=query.device).triu(1)",
        also=((LATER, "later = hidden[rows, columns]"),),
        says="You make one mask of q_len x kv_len, and cut it into blocks: memory grows with the square of "
        "the length. Make a block's mask when it is its turn.",
    ),
    Mistake(
        "causal-mask-of-all-pairs",
        find=SIZES,
        replace=f"{SIZES}\n"
        "    if is_causal:\n"
        "        hidden = torch.ones(q_len, kv_len, dtype=torch.bool, device=query.device).triu(1)",
        also=((LATER, "later = hidden[rows, columns]"),),
        says="With is_causal you make one mask of q_len x kv_len, and cut it into blocks: memory grows with "
        "the square of the length. Make a block's mask when it is its turn.",
    ),
]
