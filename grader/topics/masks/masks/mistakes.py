"""Known wrong versions of `masks`."""

from grader.kit import Mistake

CAUSAL = "    return _distance(q_len, kv_len) >= 0"
CHUNKED = "    return same & (_distance(seq_len, seq_len) >= 0)"
WINDOW = "    return (distance >= 0) & (distance < window)"
LOCAL = "    return _distance(seq_len, seq_len).abs() <= radius"
SPARSE = "    return local_mask(seq_len, stride) | is_global[:, None] | is_global"
SAME = "sequence_ids[:, None, :, None] == sequence_ids[:, None, None, :]"
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
        "window-of-one-more",
        find=WINDOW,
        replace="    return (distance >= 0) & (distance <= window)",
        says="Your window has one key too many: i - j = window is allowed. `window` counts the query's own "
        "key, so 0 <= i - j < window.",
    ),
    Mistake(
        "window-without-the-query",
        find=WINDOW,
        replace="    return (distance > 0) & (distance < window)",
        says="Your window leaves out the query's own key, so the first query sees nothing. It counts: "
        "0 <= i - j < window.",
    ),
    Mistake(
        "local-mask-for-a-sliding-window",
        find=WINDOW,
        replace="    return distance.abs() < window",
        says="Your sliding window reaches into the future too: that is a local mask, for encoders. The "
        "sliding window of a decoder looks back only: 0 <= i - j < window.",
    ),
    Mistake(
        "window-open-to-the-future",
        find=WINDOW,
        replace="    return distance < window",
        says="Your window only limits how far a query looks back: i - j < window holds for all of the future "
        "too. Two conditions are needed, 0 <= i - j and i - j < window.",
    ),
    Mistake(
        "window-open-to-the-past",
        find=WINDOW,
        replace="    return distance >= 0",
        says="Your sliding window is only causal: it never forgets. i - j has to stay below window, too.",
    ),
    Mistake(
        "sliding-window-for-a-local-mask",
        find=LOCAL,
        replace="    distance = _distance(seq_len, seq_len)\n"
        "    return (distance >= 0) & (distance <= radius)",
        says="Your local mask looks back only: that is a causal sliding window. A local mask is for "
        "encoders, and reaches as far to the right: |i - j| <= radius.",
    ),
    Mistake(
        "local-one-less",
        find=LOCAL,
        replace="    return _distance(seq_len, seq_len).abs() < radius",
        says="Your local mask leaves out the keys at distance radius (and with radius 0 everything). The "
        "bound belongs to it: |i - j| <= radius.",
    ),
    Mistake(
        "radius-as-a-width",
        find=LOCAL,
        replace="    return _distance(seq_len, seq_len).abs() <= radius // 2",
        says="You share the radius out to both sides. It counts for each side: |i - j| <= radius, "
        "2 * radius + 1 keys in all.",
    ),
    Mistake(
        "chunks-not-causal",
        find=CHUNKED,
        replace="    return same",
        says="Within a chunk your queries see the future. The mask is causal too: j <= i and the same chunk.",
    ),
    Mistake(
        "window-for-chunks",
        find=CHUNKED,
        replace="    distance = _distance(seq_len, seq_len)\n"
        "    return (distance >= 0) & (distance < chunk_size)",
        says="Your chunked mask is a sliding window: it looks chunk_size back from every query. Chunks stand "
        "still: a query sees its own chunk only, from the chunk's first token on, i // chunk_size == "
        "j // chunk_size.",
    ),
    Mistake(
        "chunks-see-earlier-ones",
        find="    same = chunk[:, None] == chunk",
        replace="    same = chunk[:, None] >= chunk",
        says="Your queries also see all chunks before their own, so it is an ordinary causal mask. Chunks "
        "are separate: i // chunk_size == j // chunk_size.",
    ),
    Mistake(
        "chunk-size-as-a-number-of-chunks",
        find="torch.arange(seq_len) // chunk_size",
        replace="torch.arange(seq_len) * chunk_size // seq_len",
        says="You cut the sequence into chunk_size chunks. chunk_size is the length of a chunk: "
        "i // chunk_size tells which one a token is in.",
    ),
    Mistake(
        "packed-not-causal",
        find="    return same & causal",
        replace="    return same",
        says="Within a text your packed mask shows the future. It is causal too: j <= i and the same id.",
    ),
    Mistake(
        "packed-sees-earlier-texts",
        find=SAME,
        replace=SAME.replace("==", ">="),
        says="Your packed mask compares the ids with >= (or reads them as an order): a text with a higher id "
        "sees those with lower ones. Texts in one row have nothing to do with each other: the ids have to be "
        "equal.",
    ),
    Mistake(
        "packed-only-causal",
        find="    return same & causal",
        replace="    return causal.expand(same.shape)",
        says="Your packed mask is only causal: a text sees those that stand before it in its row. Query and "
        "key need the same id, too.",
    ),
    Mistake(
        "packed-without-room-for-heads",
        find="    return same & causal",
        replace="    return (same & causal)[:, 0]",
        says="Your packed mask has the shape (batch, seq, seq). Beside scores of (batch, heads, seq, seq) "
        "its batch would be taken for the heads: keep a dimension for them, (batch, 1, seq, seq).",
    ),
    Mistake(
        "packed-by-neighbours",
        find=SAME,
        replace="""\
(
        lambda text: text[:, None, :, None] == text[:, None, None, :]
    )(torch.cat([sequence_ids[:, :1] * 0, sequence_ids.diff() != 0], dim=1).cumsum(dim=1))""",
        says="You begin a new text wherever the id changes. Equal ids are one text also where another stands "
        "between them: compare each query's id with each key's.",
    ),
    Mistake(
        "sparse-causal",
        find=SPARSE,
        replace=f"{SPARSE[:11]}({SPARSE[11:]}) & causal_mask(seq_len)",
        says="Your sparse mask is causal. This one is not: it keeps |i - j| <= stride to both sides, and the "
        "global rows and columns as a whole.",
    ),
    Mistake(
        "sparse-without-global-rows",
        find=SPARSE,
        replace="    return local_mask(seq_len, stride) | is_global",
        says="In your sparse mask all queries see the global tokens, but these see only their neighbourhood. "
        "The rows at multiples of stride are global too: they gather from everywhere.",
    ),
    Mistake(
        "sparse-without-global-columns",
        find=SPARSE,
        replace="    return local_mask(seq_len, stride) | is_global[:, None]",
        says="In your sparse mask the global tokens see all, but nobody far away sees them. The columns at "
        "multiples of stride are global too: what they gathered has to be read.",
    ),
    Mistake(
        "sparse-without-the-band",
        find=SPARSE,
        replace="    return is_global[:, None] | is_global",
        says="Your sparse mask has the global rows and columns only. A query also sees its neighbours, "
        "|i - j| <= stride.",
    ),
    Mistake(
        "sparse-only-where-rows-meet-columns",
        find=SPARSE,
        replace="    return local_mask(seq_len, stride) | (is_global[:, None] & is_global)",
        says="You make only the crossings global: tokens at multiples of stride see each other, and no one "
        "else. It is rows *or* columns: such a token sees all others, and all others see it.",
    ),
    Mistake(
        "sparse-by-distance",
        find=SPARSE,
        replace="    return local_mask(seq_len, stride) | (_distance(seq_len, seq_len) % stride == 0)",
        says="You keep the keys whose distance is a multiple of stride, the strided pattern of Sparse "
        "Transformers. Here it is places that count: rows i and columns j that are multiples of stride are "
        "kept as a whole.",
    ),
    Mistake(
        "sparse-band-one-less",
        find="local_mask(seq_len, stride) |",
        replace="local_mask(seq_len, stride - 1) |",
        says="The band of your sparse mask is too narrow: keys at distance stride belong to it, "
        "|i - j| <= stride.",
    ),
    Mistake(
        "sparse-starts-at-stride",
        find="    is_global = torch.arange(seq_len) % stride == 0",
        replace="    is_global = (torch.arange(seq_len) + 1) % stride == 0",
        says="Your global tokens are stride - 1, 2 * stride - 1 and so on. Places are counted from 0, and 0 "
        "is a multiple of stride: 0, stride, 2 * stride, …",
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
        says="You multiply with -inf, or with a number that becomes it (a boolean times a Python float is "
        "float32): 0 * -inf is NaN where the mask allows. Fill instead: zeros, masked_fill(~mask, "
        "torch.finfo(dtype).min).",
    ),
    Mistake(
        "additive-on-the-default-device",
        find="torch.zeros(mask.shape, dtype=dtype, device=mask.device)",
        replace="torch.zeros(mask.shape, dtype=dtype)",
        says="to_additive makes its result on the default device. With a mask on a GPU that is another one: "
        "make it on mask.device.",
    ),
]
