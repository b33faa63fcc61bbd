"""Known wrong versions of `attention_backward`: those of the function that goes block by block."""

from grader.kit import Mistake

_BLOCK_SCORES = "            grad_scores = weights * (grad_weights - delta[:, :, rows]) * scale\n"
_BLOCK_WEIGHTS = "            weights = torch.exp(scores - logsumexp[:, :, rows])\n"
_MASK = "                scores = scores.masked_fill(later, -math.inf)\n"
_SCORES = "query_block @ key_block.transpose(-2, -1) * scale"
_SCORES_MADE = f"            scores = {_SCORES}  # (batch, heads, rows, columns)\n"
_GRAD_WEIGHTS = "            grad_weights = grad_block @ value_block.transpose(-2, -1)\n"
_LATE_MASK = """\
            if is_causal and q_start == k_start:
                weights = weights * ~later
"""
_Q_LOOP = "        for q_start in range(k_start if is_causal else 0, q_len, block_size):\n"
_ROW_SUMS = "    delta = (grad_output * output).sum(dim=-1, keepdim=True)  # (batch, heads, q_len, 1)\n"

MISTAKES = [
    Mistake(
        "block-scale-left-out",
        find=_BLOCK_SCORES,
        replace="            grad_scores = weights * (grad_weights - delta[:, :, rows])\n",
        says="In flash_attention_backward the scale 1/sqrt(head_dim) is missing from grad_query and "
        "grad_key. The scores were multiplied by it, so their gradient is too.",
    ),
    Mistake(
        "block-scale-not-in-the-scores",
        find=_SCORES,
        replace="query_block @ key_block.transpose(-2, -1)",
        says="In flash_attention_backward you compute the scores again without the scale. The logsumexp "
        "is that of the scaled ones.",
    ),
    Mistake(
        "block-softmax-diagonal-only",
        find=_BLOCK_SCORES,
        replace="            grad_scores = weights * (1 - weights) * grad_weights * scale\n",
        says="In flash_attention_backward you take P (1 - P) dP for the softmax's backward, the diagonal "
        "of its Jacobian: P * (dP - delta), with delta = rowsum(dO * O).",
    ),
    Mistake(
        "block-delta-left-out",
        find=_BLOCK_SCORES,
        replace="            grad_scores = weights * grad_weights * scale\n",
        says="In flash_attention_backward you leave delta out: the gradient of the scores is P * (dP - "
        "delta), with delta = rowsum(dO * O).",
    ),
    Mistake(
        "softmax-of-each-block",
        find=_BLOCK_WEIGHTS,
        replace="            weights = torch.softmax(scores, dim=-1)\n",
        says="In flash_attention_backward each block has a softmax of its own, so its weights add up to "
        "1 in every block. They are parts of one row: exp(scores - logsumexp).",
    ),
    Mistake(
        "divided-by-the-logsumexp",
        find=_BLOCK_WEIGHTS,
        replace="            weights = torch.exp(scores) / logsumexp[:, :, rows]\n",
        says="In flash_attention_backward you divide exp(scores) by the logsumexp. It is a logarithm: "
        "subtract it before exp, which also keeps exp from overflowing.",
    ),
    Mistake(
        "exponentials-divided",
        find=_BLOCK_WEIGHTS,
        replace="            weights = torch.exp(scores) / torch.exp(logsumexp[:, :, rows])\n",
        says="In flash_attention_backward you take exp of the scores and of the logsumexp each by "
        "itself. Both overflow at large scores, and inf / inf is NaN: exp(scores - logsumexp).",
    ),
    Mistake(
        "delta-of-the-block",
        find=_BLOCK_SCORES,
        replace="""\
            of_block = (weights * grad_weights).sum(dim=-1, keepdim=True)
            grad_scores = weights * (grad_weights - of_block) * scale
""",
        says="In flash_attention_backward you sum P * dP over the keys of one block. The row goes on in "
        "other blocks: that is why delta comes from the output, rowsum(dO * O).",
    ),
    Mistake(
        "delta-of-grad-output-alone",
        find=_ROW_SUMS,
        replace="    delta = grad_output.sum(dim=-1, keepdim=True)\n",
        says="Your delta in flash_attention_backward is rowsum(dO). It is rowsum(dO * O), which equals "
        "rowsum(P * dP).",
    ),
    Mistake(
        "delta-scaled",
        find=_ROW_SUMS,
        replace="    delta = (grad_output * output).sum(dim=-1, keepdim=True) * scale\n",
        says="In flash_attention_backward you scale delta, and then again with the gradient of the "
        "scores. It stands beside dP, where no scale has come yet.",
    ),
    Mistake(
        "query-gradient-overwritten",
        find="            grad_query[:, :, rows] += grad_scores @ key_block\n",
        replace="            grad_query[:, :, rows] = grad_scores @ key_block\n",
        says="In flash_attention_backward each key block overwrites what the ones before have given "
        "grad_query. A query gets a part from every key block: +=.",
    ),
    Mistake(
        "key-gradient-overwritten",
        find="            grad_key[:, :, columns] += grad_scores.transpose(-2, -1) @ query_block\n",
        replace="            grad_key[:, :, columns] = grad_scores.transpose(-2, -1) @ query_block\n",
        says="In flash_attention_backward each query block overwrites what the ones before have given "
        "grad_key. A key gets a part from every query block: +=.",
    ),
    Mistake(
        "value-gradient-overwritten",
        find="            grad_value[:, :, columns] += weights.transpose(-2, -1) @ grad_block\n",
        replace="            grad_value[:, :, columns] = weights.transpose(-2, -1) @ grad_block\n",
        says="In flash_attention_backward each query block overwrites what the ones before have given "
        "grad_value. A value gets a part from every query block: +=.",
    ),
    Mistake(
        "diagonal-block-not-masked",
        find=_MASK,
        replace="",
        says="In flash_attention_backward the block on the diagonal is not masked, so queries see later "
        "keys of their own block. Fill these scores with -inf.",
    ),
    Mistake(
        "masked-behind-exp",
        find=_MASK,
        replace="",
        also=((_BLOCK_WEIGHTS, f"{_BLOCK_WEIGHTS}{_LATE_MASK}"),),
        says="In flash_attention_backward you multiply by the mask behind exp. A later key's score may "
        "be far above the logsumexp: exp gives inf, and inf times 0 is NaN. Fill the scores with "
        "-inf before.",
    ),
    Mistake(
        "diagonal-dropped",
        find="dtype=torch.bool, device=scores.device).triu(1)",
        replace="dtype=torch.bool, device=scores.device).triu(0)",
        says="Your causal mask in flash_attention_backward hides a query's own key too. Query i sees the "
        "keys 0 … i, i included.",
    ),
    Mistake(
        "blocks-above-not-skipped",
        find=_Q_LOOP,
        replace="        for q_start in range(0, q_len, block_size):\n",
        also=(
            (
                "            if is_causal and q_start == k_start:\n",
                "            if is_causal and q_start <= k_start:\n",
            ),
            (".triu(1)", ".triu(1 + q_start - k_start)"),
        ),
        says="In flash_attention_backward you compute the blocks above the diagonal and mask them away. "
        "No query of theirs sees a key: skip them (with all queries at once, leave out those before the "
        "block of keys), and half of the work is saved.",
    ),
    Mistake(
        "blocks-above-not-skipped-nor-masked",
        find=_Q_LOOP,
        replace="        for q_start in range(0, q_len, block_size):\n",
        says="In flash_attention_backward blocks above the diagonal take part without a mask, so queries "
        "see later keys. Skip them.",
    ),
    Mistake(
        "causal-ignored",
        find=_Q_LOOP,
        replace="        is_causal = False\n" + _Q_LOOP,
        says="Your flash_attention_backward does not depend on is_causal. With it query i sees the keys "
        "0 … i only.",
    ),
    Mistake(
        "whole-weights-made",
        find=_SCORES,
        replace="(query @ key.transpose(-2, -1))[:, :, rows, columns] * scale",
        says="In flash_attention_backward you make the scores of all queries and keys. That matrix is "
        "what is avoided: multiply one block of queries with one block of keys.",
    ),
    Mistake(
        "written-out",
        find="    logsumexp = logsumexp.unsqueeze(-1)\n",
        replace="""\
    logsumexp = logsumexp.unsqueeze(-1)
    whole = query @ key.transpose(-2, -1) * scale
    if is_causal:
        whole = whole.masked_fill(torch.ones_like(whole, dtype=torch.bool).triu(1), -math.inf)
    return attention_backward(grad_output, query, key, value, torch.exp(whole - logsumexp))
""",
        says="In flash_attention_backward you sum weights * grad_weights over a query's keys, as with stored "
        "weights: those of all keys have to be there at once for it (all weights, or a block of queries with "
        "all keys), and the output is not used. Compute one block of weights at a time; the row sums come "
        "from rowsum(dO * O).",
    ),
    Mistake(
        "block-size-ignored",
        find="    delta = (grad_output * output)",
        replace="    block_size = 64\n    delta = (grad_output * output)",
        says="Your blocks have 64 rows whatever block_size says, or at least where it is smaller. It decides "
        "how much memory a block takes and how much is_causal can skip.",
    ),
    Mistake(
        "last-block-dropped",
        find="    for k_start in range(0, kv_len, block_size):\n",
        replace="    for k_start in range(0, max(kv_len // block_size, 1) * block_size, block_size):\n",
        says="In flash_attention_backward the keys of a last, shorter block are lost. Go on to the last key: "
        "a range ends at the length itself, and a number of blocks is rounded up.",
    ),
    Mistake(
        "last-query-block-dropped",
        find=_Q_LOOP,
        replace="""\
        full = max(q_len // block_size, 1) * block_size
        for q_start in range(k_start if is_causal else 0, full, block_size):
""",
        says="In flash_attention_backward the queries of a last, shorter block are lost. Go on to the last "
        "query: a range ends at the length itself, and a number of blocks is rounded up.",
    ),
    Mistake(
        "zeros-on-the-default-device",
        find="dtype=torch.bool, device=scores.device)",
        replace="dtype=torch.bool)",
        says="You make a tensor (the mask, say) without saying where, so it is on the default device, "
        "and not beside the arguments when these are on another. Give it their device.",
    ),
    Mistake(
        "upstream-overwritten",
        find="    logsumexp = logsumexp.unsqueeze(-1)\n",
        replace="    logsumexp = logsumexp.unsqueeze(-1)\n    output.mul_(grad_output)\n",
        says="In flash_attention_backward you write over one of the arguments. They were saved, and "
        "others may need them.",
    ),
    Mistake(
        "softmax-of-whole-rows",
        find="    for k_start in range(0, kv_len, block_size):\n",
        replace="""\
    for q_start in range(0, q_len, block_size):
        rows = slice(q_start, min(q_start + block_size, q_len))
        seen = slice(0, rows.stop if is_causal else kv_len)
        scores = query[:, :, rows] @ key[:, :, seen].transpose(-2, -1) * scale
        if is_causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(q_start + 1)
            scores = scores.masked_fill(later, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        grad_weights = grad_output[:, :, rows] @ value[:, :, seen].transpose(-2, -1)
        grad_scores = weights * (grad_weights - delta[:, :, rows]) * scale
        grad_query[:, :, rows] = grad_scores @ key[:, :, seen]
        grad_key[:, :, seen] += grad_scores.transpose(-2, -1) @ query[:, :, rows]
        grad_value[:, :, seen] += weights.transpose(-2, -1) @ grad_output[:, :, rows]
    return grad_query, grad_key, grad_value

    for k_start in range(0, kv_len, block_size):
""",
        says="In flash_attention_backward you compute the normalizer again (by a softmax over a row, say) "
        "and do not use the logsumexp. It is given so that a block needs no other one: "
        "exp(scores - logsumexp).",
    ),
    Mistake(
        "gradients-in-the-default-dtype",
        find="(torch.zeros_like(each) for each in (query, key, value))",
        replace="(torch.zeros(each.shape, device=each.device) for each in (query, key, value))",
        says="In flash_attention_backward you add the gradients up in torch.zeros(...) without a dtype: that "
        "is float32 whatever the arguments are: float64 loses half of its digits. Use zeros_like.",
    ),
    Mistake(
        "diagonal-block-skipped",
        find="range(k_start if is_causal else 0, q_len, block_size)",
        replace="range(k_start + block_size if is_causal else 0, q_len, block_size)",
        says="With is_causal you skip the block on the diagonal, too. A query sees its own key and those "
        "before it: that block is computed, and masked above the diagonal.",
    ),
    *(
        Mistake(
            f"{products}-products-for-a-block",
            find=_SCORES_MADE,
            replace=_SCORES_MADE * scores,
            also=((_GRAD_WEIGHTS, _GRAD_WEIGHTS * grad_weights),),
            says=f"In flash_attention_backward you take {products} matrix products for a pair of blocks, and "
            f"five are enough: {twice}, for example. One pass over the pairs makes scores and grad_weights "
            "once, and adds to all three gradients.",
        )
        for products, scores, grad_weights, twice in [
            ("six", 2, 1, "the scores are made twice, for grad_value and for the other two gradients"),
            (
                "seven",
                2,
                2,
                "one pass for the queries and one for keys and values make scores and grad_weights",
            ),
            ("eight", 3, 2, "each gradient has a pass of its own, which makes the scores anew"),
        ]
    ),
]
