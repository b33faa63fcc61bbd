"""Known wrong versions of the patterns of `masks`: windows, chunks, texts, sparse attention."""

from grader.kit import Mistake

CHUNKED = "    return same & (_distance(seq_len, seq_len) >= 0)"
WINDOW = "    return (distance >= 0) & (distance < window)"
LOCAL = "    return _distance(seq_len, seq_len).abs() <= radius"
SPARSE = "    return local_mask(seq_len, stride) | is_global[:, None] | is_global"
SAME = "sequence_ids[:, None, :, None] == sequence_ids[:, None, None, :]"


MISTAKES = [
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
        "local-open-to-the-future",
        find=LOCAL,
        replace="    return _distance(seq_len, seq_len) <= radius",
        also=(("local_mask(seq_len, stride) |", "(_distance(seq_len, seq_len).abs() <= stride) |"),),
        says="Your local mask only limits how far a query looks back: i - j <= radius holds for all later "
        "keys too. Take the absolute value, |i - j| <= radius.",
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
        "chunks-evened-out",
        find="    chunk = torch.arange(seq_len) // chunk_size\n",
        replace="    number = -(-seq_len // chunk_size)\n"
        "    chunk = torch.arange(seq_len) // -(-seq_len // number)\n",
        says="Your chunks are evened out: there are as many as there should be, but 9 tokens in chunks of 4 "
        "become 3, 3, 3 (torch.chunk takes the number of chunks and does that, for example). They are 4, 4, "
        "1: each has chunk_size tokens, and only the last one fewer (torch.split takes the size).",
    ),
    Mistake(
        "chunks-evened-out-to-a-token",
        find="    chunk = torch.arange(seq_len) // chunk_size\n",
        replace="    parts = torch.arange(seq_len).tensor_split(-(-seq_len // chunk_size))\n"
        "    chunk = torch.cat([torch.full_like(part, number) for number, part in enumerate(parts)])\n",
        says="Your chunks are evened out: there are as many as there should be, but 7 tokens in chunks of 3 "
        "become 3, 2, 2 (torch.tensor_split takes the number of chunks and does that, for example). They are "
        "3, 3, 1: each has chunk_size tokens, and only the last one fewer (torch.split takes the size).",
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
        "packed-ids-below-one-hidden",
        find="    return same & causal",
        replace="    return same & causal & (sequence_ids > 0)[:, None, None, :]",
        says="You take sequence ids of 0 or below for padding. They are ids like all others: whole numbers "
        "of either sign.",
    ),
]
