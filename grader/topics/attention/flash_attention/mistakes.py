"""Known wrong versions of `flash_attention`."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import score_mistakes

MISTAKES = [
    Mistake(
        "attention-written-out",
        find="    results = []\n",
        replace="""\
    scores = query @ key.transpose(-2, -1)
    if is_causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True) @ value
    results = []
""",
        says="You write attention out, with all scores at once. That is right, and topic sdpa: here no "
        "tensor may grow with q_len * kv_len, so go block by block and keep a running maximum, sum "
        "and output.",
    ),
    Mistake(
        "block-size-ignored",
        find="    results = []\n",
        replace="    block_size = 64\n    results = []\n",
        says="Your blocks have 64 rows whatever block_size says. It decides how much memory a tile takes and "
        "how much is_causal can skip: cut blocks of block_size.",
    ),
    Mistake(
        "blocks-above-not-skipped",
        find="kv_end = q_end if is_causal else key.shape[2]",
        replace="kv_end = key.shape[2]",
        says="You compute the tiles above the diagonal and mask them away. With is_causal a block of queries "
        "sees no key after its last query, and a block of keys is seen by no query before its first key: "
        "leave these out, and half the work is saved.",
    ),
    Mistake(
        "whole-scores-made",
        find="""\
            scores = q_block @ key[:, :, k_start:k_end].transpose(-2, -1)  # (batch, heads, rows, columns)
""",
        replace="""\
            scores = (query @ key.transpose(-2, -1))[:, :, q_start:q_end, k_start:k_end]
""",
        says="You make a tensor of batch x heads x q_len x kv_len elements (all scores, or a mask for each "
        "head) and cut tiles out of it, for example. That is what FlashAttention avoids: multiply one block "
        "of queries by one block of keys at a time, and mask that alone.",
    ),
    Mistake(
        "no-maximum-subtracted",
        find="            new_largest = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))",
        replace="            new_largest = largest = torch.zeros_like(largest)",
        says="You exponentiate the scores as they are: exp overflows to inf above 88.7 in float32 and 709 in "
        "float64, and inf / inf is NaN. Subtract each row's largest score so far; it cancels at the end.",
    ),
    Mistake(
        "maximum-of-the-tile-only",
        find="torch.maximum(largest, scores.amax(dim=-1, keepdim=True))",
        replace="scores.amax(dim=-1, keepdim=True)",
        says="You take each tile's own maximum instead of the row's largest so far. When it falls, the "
        "correction exp(old - new) is above 1 and overflows. Take the maximum of both.",
    ),
    Mistake(
        "maximum-starts-at-zero",
        find="query.new_full((batch, heads, q_end - q_start, 1), -math.inf)",
        replace="query.new_zeros((batch, heads, q_end - q_start, 1))",
        says="Your running maximum starts at 0. When all scores of a row are far below, every exponential "
        "underflows to 0, and 0 / 0 is NaN. Start at -inf.",
    ),
    Mistake(
        "one-maximum-for-all-rows",
        find="scores.amax(dim=-1, keepdim=True)",
        replace="scores.amax()",
        says="You subtract the largest score of the whole tile from every row. Rows that lie far below "
        "underflow: all their exponentials are 0, and 0 / 0 is NaN. Each row has its own maximum.",
    ),
    Mistake(
        "maximum-not-remembered",
        find="            largest = new_largest\n",
        replace="",
        says="You never store the new maximum, so every correction is exp(-inf) = 0, and only the last key "
        "block counts. Set largest = new_largest at the end of each round.",
    ),
    Mistake(
        "nothing-rescaled",
        find="torch.exp(largest - new_largest)",
        replace="torch.ones_like(largest)",
        says="You add up terms that count from different maxima. When a row's maximum grows, multiply its "
        "denominator and output so far by exp(old maximum - new maximum).",
    ),
    Mistake(
        "output-not-rescaled",
        find="output = output * correction + ",
        replace="output = output + ",
        says="You correct the denominator when the maximum grows, but not the output. Both were summed "
        "relative to the old maximum: multiply both by exp(old maximum - new maximum).",
    ),
    Mistake(
        "denominator-not-rescaled",
        find="denominator = denominator * correction + ",
        replace="denominator = denominator + ",
        says="You correct the output when the maximum grows, but not the denominator. Both were summed "
        "relative to the old maximum: multiply both by exp(old maximum - new maximum).",
    ),
    Mistake(
        "correction-inverted",
        find="torch.exp(largest - new_largest)",
        replace="torch.exp(new_largest - largest)",
        says="Your correction is exp(new - old), upside down: it is infinite in the first round. What was "
        "summed relative to the old maximum gets smaller: exp(old - new), at most 1.",
    ),
    Mistake(
        "correction-constant-in-backward",
        find="torch.exp(largest - new_largest)",
        replace="torch.exp(largest - new_largest).detach()",
        says="Your values are right, but the gradients of query and key are not: the correction exp(old - "
        "new) is a constant to autograd (no_grad, detach), while exp(scores - new) passes a gradient on to "
        "the maximum. These cancel only together: leave both in the graph, or detach the maximum itself.",
    ),
    Mistake(
        "tiles-averaged",
        find="""\
            denominator = denominator * correction + weights.sum(dim=-1, keepdim=True)
            output = output * correction + weights @ value[:, :, k_start:k_end]""",
        replace="""\
            denominator = denominator + 1
            output = output + weights / weights.sum(dim=-1, keepdim=True) @ value[:, :, k_start:k_end]""",
        says="You take the softmax of each tile by itself and average the tiles. A tile with larger scores "
        "has to count more: add up the undivided terms and divide by the row's sum over all tiles.",
    ),
    Mistake(
        "divided-in-every-round",
        find="            largest = new_largest\n",
        replace="            output = output / denominator\n            largest = new_largest\n",
        says="You divide by the denominator after every key block, so the earlier ones are divided several "
        "times. Divide once, after the last one.",
    ),
    Mistake(
        "never-divided",
        find="results.append(output / denominator)",
        replace="results.append(output)",
        says="You never divide by the denominator, so the weights of a row do not sum to 1. Divide each "
        "query block's output after its last key block.",
    ),
    Mistake(
        "scale-missing",
        find="    query = query / math.sqrt(head_dim)\n",
        replace="",
        says="You do not scale the scores. Divide them (or the query) by sqrt(head_dim).",
    ),
    *score_mistakes.other_scales("query", "head_dim", "head_dim"),
    Mistake(
        "scaled-by-the-block-size",
        find="math.sqrt(head_dim)",
        replace="math.sqrt(block_size)",
        says="You scale by the block size, so the values depend on it. A score is a sum over head_dim "
        "features: divide by sqrt(head_dim).",
    ),
    Mistake(
        "query-overwritten",
        find="    query = query / math.sqrt(head_dim)\n",
        replace="    query /= math.sqrt(head_dim)\n",
        says="You scale the caller's query in place. The argument must stay as it is: query / "
        "math.sqrt(head_dim) makes a new tensor.",
    ),
    Mistake(
        "causal-drops-the-diagonal",
        find="columns > rows[:, None]",
        replace="columns >= rows[:, None]",
        says="Your causal mask hides a query's own key too, so the first query sees nothing, and its row is "
        "NaN. Query i attends to the keys 0 … i, i included.",
    ),
    Mistake(
        "diagonal-tile-not-masked",
        find="            if is_causal and k_end > q_start:",
        replace="            if is_causal and k_start > q_start:",
        says="You skip the tiles above the diagonal but leave those on it unmasked, so a query sees later "
        "keys of its own block. There, hide the keys whose position is greater than the query's.",
    ),
    Mistake(
        "own-position-hidden",
        find="columns > rows[:, None]",
        replace="(columns >= rows[:, None]) & (columns > 0)",
        says="You hide each query's own position. Query i attends to the keys 0 to i, i included: hide where "
        "the key's position is greater.",
    ),
    Mistake(
        "positions-inside-the-tile",
        find="""\
            if is_causal and k_end > q_start:
                rows = torch.arange(q_start, q_end, device=query.device)
                columns = torch.arange(k_start, k_end, device=query.device)""",
        replace="""\
            if is_causal:
                rows = torch.arange(q_end - q_start, device=query.device)
                columns = torch.arange(k_end - k_start, device=query.device)""",
        says="You count positions from the start of the tile, so every tile gets a triangle, those below the "
        "diagonal too. Compare positions in the sequence: only the tile on the diagonal has keys to hide.",
    ),
    Mistake(
        "last-block-dropped",
        find="        for k_start in range(0, kv_end, block_size):",
        replace="        for k_start in range(0, max(kv_end // block_size, 1) * block_size, block_size):",
        says="You visit full key blocks only, so the keys of a last, shorter block are lost. Go on to the "
        "last key: a range ends at the length itself, and a number of blocks is rounded up.",
    ),
    Mistake(
        "last-query-block-dropped",
        find="    for q_start in range(0, q_len, block_size):",
        replace="    for q_start in range(0, max(q_len // block_size, 1) * block_size, block_size):",
        says="You visit full query blocks only, so the result lacks the rows of a last, shorter block. Go on "
        "to the last query: a range ends at q_len itself, and a number of blocks is rounded up.",
    ),
    Mistake(
        "padding-attended",
        find="    results = []\n",
        replace="""\
    padding = (0, 0, 0, -key.shape[2] % block_size)
    key, value = torch.nn.functional.pad(key, padding), torch.nn.functional.pad(value, padding)
    results = []
""",
        says="You pad the keys with zeros to full blocks and attend to the padding: a score of 0 is no zero "
        "weight. Fill the scores of padded keys with -inf, or let the last block be shorter.",
    ),
    Mistake(
        "keys-as-long-as-queries",
        find="kv_end = q_end if is_causal else key.shape[2]",
        replace="kv_end = q_end if is_causal else q_len",
        says="Your inner loop ends at q_len. Without is_causal there may be more keys than queries, or "
        "fewer: end at kv_len.",
    ),
    *(
        Mistake(
            f"as-many-key-blocks-as-query-blocks{id}",
            find="kv_end = q_end if is_causal else key.shape[2]",
            replace=f"kv_end = q_end if is_causal else {end}",
            says="You visit as many blocks of keys as there are of queries. Without is_causal there may be "
            f"more, which you leave out{words}: cut key.shape[2] into blocks, whatever q_len is.",
        )
        for id, end, words in (
            ("", "-(-q_len // block_size) * block_size", ", or fewer, and then some of yours are empty"),
            ("-if-there-are", "min(-(-q_len // block_size) * block_size, key.shape[2])", ""),
        )
    ),
    Mistake(
        "fill-not-low-enough",
        find="columns > rows[:, None], -math.inf",
        replace="columns > rows[:, None], -1e3",
        says="You fill hidden scores with a number that ordinary scores can reach, so where the allowed "
        "scores are lower still the hidden keys win. Use -inf, or torch.finfo(scores.dtype).min.",
    ),
    Mistake(
        "gradients-cut",
        find="def flash_attention(",
        replace="@torch.no_grad()\ndef flash_attention(",
        says="You compute under no_grad (or detach), so no gradient reaches query, key and value. Leave it "
        "to autograd, or write the backward pass too.",
    ),
    Mistake(
        "denominator-constant-in-backward",
        find="results.append(output / denominator)",
        replace="results.append(output / denominator.detach())",
        also=(("scores.amax(dim=-1, keepdim=True))", "scores.amax(dim=-1, keepdim=True)).detach()"),),
        says="Your values are right, but the gradients of query and key lack a term: a row's denominator (or "
        "its logsumexp) depends on every score of the row, and you treat it as a constant. Do not detach it; "
        "in a backward of your own the gradient of the scores is P * (dO V^T - D), with D = rowsum(dO * O).",
    ),
    Mistake(
        "float32-buffer",
        find="        results.append(output / denominator)\n    return torch.cat(results, dim=2)",
        replace="""\
        results.append(output / denominator)
    buffer = torch.zeros(batch, heads, q_len, head_dim)
    buffer[:] = torch.cat(results, dim=2)
    return buffer""",
        says="Your result is float32 for float64 inputs: torch.zeros makes float32 unless you pass a dtype. "
        "Use torch.zeros_like(query), or dtype=query.dtype.",
    ),
    Mistake(
        "blocks-stacked-as-a-batch",
        find="torch.cat(results, dim=2)",
        replace="torch.cat(results, dim=0).reshape(batch, heads, q_len, head_dim)",
        says="You put the query blocks together along the batch and reshape, which mixes batch and sequence. "
        "Concatenate along the sequence: torch.cat(results, dim=2).",
    ),
]
