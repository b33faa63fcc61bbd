"""Known wrong versions of `masks`."""

from grader.kit import Mistake

CAUSAL = "    return _distance(q_len, kv_len) >= 0"
ADDITIVE = "    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, hidden)"


MISTAKES = [
    Mistake(
        "padding-inverted",
        find="(token_ids != pad_id)[:, None, None, :]",
        replace="(token_ids == pad_id)[:, None, None, :]",
        says="Your padding mask is True where there is padding. That is the convention of "
        "nn.MultiheadAttention's key_padding_mask; here True means that a key may be attended to, so it is "
        "True where the token is not pad_id.",
    ),
    Mistake(
        "padding-without-room-for-heads",
        find="(token_ids != pad_id)[:, None, None, :]",
        replace="(token_ids != pad_id)",
        says="Your padding mask has the shape (batch, seq). Scores are (batch, heads, queries, keys), and "
        "shapes are matched from the right: only with two dimensions of size 1 between, (batch, 1, 1, seq), "
        "does each row meet its own sequence.",
    ),
    Mistake(
        "padding-along-the-queries",
        find="(token_ids != pad_id)[:, None, None, :]",
        replace="(token_ids != pad_id)[:, None, :, None]",
        says="Your padding mask is (batch, 1, seq, 1): it hides rows, the queries that are padding, and "
        "leaves padding among the keys to be attended to. The keys are the last dimension: "
        "(batch, 1, 1, seq).",
    ),
    Mistake(
        "pad-id-ignored",
        find="(token_ids != pad_id)[:, None, None, :]",
        replace="(token_ids != 0)[:, None, None, :]",
        says="You take 0 for padding, whatever pad_id is. Tokenizers have other ids for it: compare with "
        "pad_id.",
    ),
    Mistake(
        "causal-aligned-with-the-first-key",
        find=CAUSAL,
        replace="    return torch.ones(q_len, kv_len, dtype=torch.bool).tril()",
        says="Your causal mask lets query i see the keys 0 … i also where there are more keys than queries "
        "(as PyTorch's is_causal=True does). The queries are the last of the sequence: query i stands at key "
        "i + kv_len - q_len. So a single new query sees the whole cache, not only its first key.",
    ),
    Mistake(
        "causal-inverted",
        find=CAUSAL,
        replace="    return _distance(q_len, kv_len) < 0",
        says="Your causal mask is True for the future. True means that a key may be attended to, so keep "
        "what is on and below the diagonal. (triu(diagonal=1) is the mask of what is hidden.)",
    ),
    Mistake(
        "causal-transposed",
        find=CAUSAL,
        replace="    return _distance(q_len, kv_len) <= 0",
        says="Your causal mask is the wrong triangle: every query sees the future instead of the past. Rows "
        "are queries, columns keys: keep the lower triangle.",
    ),
    Mistake(
        "causal-drops-the-diagonal",
        find=CAUSAL,
        replace="    return _distance(q_len, kv_len) > 0",
        says="Your causal mask hides a query's own key, so the first query sees nothing at all. A token may "
        "attend to itself: keep the diagonal.",
    ),
    Mistake(
        "causal-sees-one-ahead",
        find=CAUSAL,
        replace="    return _distance(q_len, kv_len) >= -1",
        says="Your causal mask allows the key after the query's own: the token that is to be predicted. Keep "
        "the diagonal and what is below it.",
    ),
    Mistake(
        "kv-len-ignored",
        find="    kv_len = q_len if kv_len is None else kv_len",
        replace="    kv_len = q_len",
        says="Your causal mask is always square. With a cache there are more keys than queries: the shape is "
        "(q_len, kv_len).",
    ),
    Mistake(
        "causal-of-numbers",
        find=CAUSAL,
        replace="    return torch.ones(q_len, kv_len).tril(kv_len - q_len)",
        says="Your causal mask holds numbers. A boolean is asked for: PyTorch's fused attention adds a mask "
        "of floats to the scores instead of hiding anything. Make it with dtype=torch.bool, or compare.",
    ),
    Mistake(
        "causal-padded-to-a-square",
        find=CAUSAL,
        replace="    if q_len > kv_len:\n"
        "        return torch.ones(q_len, kv_len, dtype=torch.bool).tril()\n" + CAUSAL,
        says="With more queries than keys you align the first query with the first key. The formula is the "
        "same as always, j <= i + kv_len - q_len, with the last query at the last key: the first "
        "q_len - kv_len rows are empty.",
    ),
    Mistake(
        "combined-with-or",
        find="padding_mask(token_ids, pad_id) & causal",
        replace="padding_mask(token_ids, pad_id) | causal",
        says="You combine the two masks with or: a key is then allowed if it is a token, though it is in the "
        "future, and padding if it is in the past. A key has to pass both: causal and padding.",
    ),
    Mistake(
        "combined-without-padding",
        find="    return padding_mask(token_ids, pad_id) & causal",
        replace="    return causal.expand(token_ids.shape[0], 1, seq, seq)",
        says="Your combined mask is only causal: padding in the past is attended to. Hide the keys that are "
        "pad_id as well.",
    ),
    Mistake(
        "combined-not-causal",
        find="    return padding_mask(token_ids, pad_id) & causal",
        replace="    return padding_mask(token_ids, pad_id).expand(-1, -1, seq, seq)",
        says="Your combined mask hides padding only: every query sees the future. Combine it with the causal "
        "mask.",
    ),
    Mistake(
        "padding-queries-hidden-too",
        find="    return padding_mask(token_ids, pad_id) & causal",
        replace="""\
    padding = padding_mask(token_ids, pad_id)
    return padding & padding.transpose(-1, -2) & causal""",
        says="In your combined mask the rows of padding are empty: you hide padding among the queries too. "
        "Only keys are to be hidden. Nobody reads what a padding query gives, and an empty row becomes NaN "
        "in the softmax, which spreads by the gradients.",
    ),
    Mistake(
        "combined-ignores-pad-id",
        find="    return padding_mask(token_ids, pad_id) & causal",
        replace="    return padding_mask(token_ids) & causal",
        says="combined_mask does not hand pad_id on: it hides the tokens 0, whatever padding is. Pass "
        "padding_mask(token_ids, pad_id).",
    ),
    Mistake(
        "combined-as-row-and-column",
        find="    return padding_mask(token_ids, pad_id) & causal",
        replace="    return (padding_mask(token_ids, pad_id) & causal)[:, 0]",
        says="Your combined mask has the shape (batch, seq, seq). Beside scores of (batch, heads, seq, seq) "
        "its batch would be taken for the heads: keep a dimension for them, (batch, 1, seq, seq).",
    ),
    Mistake(
        "combined-on-the-default-device",
        find="    causal = _distance(seq, seq, token_ids.device) >= 0\n    return padding_mask",
        replace="    causal = causal_mask(seq)\n    return padding_mask",
        says="combined_mask makes its causal part on the default device. With tokens on a GPU that is "
        "another one, and the two do not combine: make it on token_ids.device.",
    ),
    Mistake(
        "packed-on-the-default-device",
        find="    causal = _distance(seq, seq, sequence_ids.device) >= 0\n    same",
        replace="    causal = causal_mask(seq)\n    same",
        says="packed_mask makes its causal part on the default device. With ids on a GPU that is another "
        "one, and the two do not combine: make it on sequence_ids.device.",
    ),
    Mistake(
        "additive-inverted",
        find=".masked_fill(~mask, hidden)",
        replace=".masked_fill(mask, hidden)",
        says="Your additive mask is 0 where the mask is False: it hides what may be attended to. Fill where "
        "it is False.",
    ),
    Mistake(
        "additive-of-minus-infinity",
        find=".masked_fill(~mask, hidden)",
        replace='.masked_fill(~mask, float("-inf"))',
        says="You fill with -inf (or with a number that becomes -inf in this dtype). The lowest finite "
        "number is asked for, torch.finfo(dtype).min: a row without any key is then uniform after the "
        "softmax, where -inf gives NaN.",
    ),
    Mistake(
        "additive-minimum-of-float32",
        find="    hidden = torch.finfo(dtype).min",
        replace="    hidden = torch.finfo(torch.float32).min",
        says="You take the lowest number of float32 whatever the dtype is: it does not fit into float16, and "
        "is not the lowest of float64 and bfloat16. Ask torch.finfo(dtype).",
    ),
    Mistake(
        "additive-of-a-round-number",
        find="    hidden = torch.finfo(dtype).min",
        replace="    hidden = -1e4",
        says="You hide by a round number, -10000 (BERT's code did). Asked for is the lowest number of the "
        "dtype, torch.finfo(dtype).min, which no score can make up for.",
    ),
    Mistake(
        "additive-of-one-billion",
        find="    hidden = torch.finfo(dtype).min",
        replace="    hidden = -1e9",
        says="You hide by -1e9, which does not fit into float16. Asked for is the lowest number of the "
        "dtype, torch.finfo(dtype).min.",
    ),
    Mistake(
        "additive-dtype-ignored",
        find=ADDITIVE,
        replace="    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, hidden)",
        says="Your additive mask has the default dtype. It is added to scores: make it in theirs, dtype.",
    ),
    Mistake(
        "additive-by-a-product",
        find=ADDITIVE,
        replace='    return (~mask).to(dtype) * float("-inf")',
        says="You multiply by -inf, or by a number that becomes it: float64's lowest, for example, in a "
        "product that is float32. 0 * -inf is NaN where the mask allows. Fill instead: zeros, "
        "masked_fill(~mask, torch.finfo(dtype).min).",
    ),
    Mistake(
        "additive-on-the-default-device",
        find="torch.zeros(mask.shape, dtype=dtype, device=mask.device)",
        replace="torch.zeros(mask.shape, dtype=dtype)",
        says="to_additive makes its result on the default device. With a mask on a GPU that is another one: "
        "make it on mask.device.",
    ),
    Mistake(
        "combined-with-the-diagonal",
        find="    return padding_mask(token_ids, pad_id) & causal",
        replace="    own = torch.eye(seq, dtype=torch.bool, device=token_ids.device)\n"
        "    return (padding_mask(token_ids, pad_id) & causal) | own",
        says="Your queries always see their own place, padding too, perhaps so that no row is empty. "
        "Padding is hidden as a key from every query: such a row is empty here.",
    ),
    Mistake(
        "empty-rows-see-themselves",
        find="    return padding_mask(token_ids, pad_id) & causal",
        replace="""\
    mask = padding_mask(token_ids, pad_id) & causal
    own = torch.eye(seq, dtype=torch.bool, device=token_ids.device)
    return mask | (own & ~mask.any(dim=-1, keepdim=True))""",
        says="In your combined mask a query without any visible key sees its own place, which is padding. "
        "Padding is hidden from every query: such a row stays empty. to_additive takes care of the NaN.",
    ),
    Mistake(
        "empty-rows-see-everything",
        find="    return padding_mask(token_ids, pad_id) & causal",
        replace="""\
    mask = padding_mask(token_ids, pad_id) & causal
    return mask | ~mask.any(dim=-1, keepdim=True)""",
        says="In your combined mask a query without any visible key sees all keys, padding and the future. "
        "Both are hidden from every query: such a row stays empty. to_additive takes care of the NaN.",
    ),
    Mistake(
        "empty-rows-are-causal",
        find="    return padding_mask(token_ids, pad_id) & causal",
        replace="""\
    mask = padding_mask(token_ids, pad_id) & causal
    return mask | (causal & ~mask.any(dim=-1, keepdim=True))""",
        says="In your combined mask a query without any visible key sees all keys up to its own, which are "
        "padding. Padding is hidden from every query: such a row stays empty. to_additive takes care of the "
        "NaN.",
    ),
    Mistake(
        "smaller-ids-taken-for-padding",
        find="return (token_ids != pad_id)",
        replace="return (token_ids > pad_id)",
        says="You keep only ids above pad_id, which is right for a pad_id of 0. Padding are the tokens that "
        "equal it: !=.",
    ),
]
