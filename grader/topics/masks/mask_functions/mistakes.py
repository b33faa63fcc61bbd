"""Known wrong versions of `mask_functions`."""

from grader.kit import Mistake

WINDOW = "        return (q >= kv) & (q - kv < window)"
CHUNKED = "        return q // chunk_size == kv // chunk_size"
PACKED = "        return sequence_ids[batch, q] == sequence_ids[batch, kv]"
TABLE = "    return fn(b, h, q, kv).expand(batch, heads, q_len, kv_len)  # (batch, heads, q_len, kv_len)"
RENDER = '    return "\\n".join(" ".join("■" if kept else "⬚" for kept in row) for row in mask.tolist())'


MISTAKES = [
    Mistake(
        "causal-transposed",
        find="    return q >= kv\n",
        replace="    return q <= kv\n",
        says="Your causal keeps the future: q is the place that asks, kv the one that is read, and a query "
        "may read its own place and those before it, q >= kv.",
    ),
    Mistake(
        "causal-drops-the-diagonal",
        find="    return q >= kv\n",
        replace="    return q > kv\n",
        says="Your causal hides a query's own place, so the first query sees nothing. Keep q == kv too: "
        "q >= kv.",
    ),
    Mistake(
        "prefix-mask-for-a-causal-one",
        find="    return q >= kv\n",
        replace="    return (q >= kv) | (kv < 2)\n",
        says="Your causal lets everybody see the first places, like a prefix mask. A causal mask has no "
        "prefix: q >= kv. A prefix is a function of its own, to be added with or_masks.",
    ),
    Mistake(
        "window-of-one-more",
        find=WINDOW,
        replace="        return (q >= kv) & (q - kv <= window)",
        says="Your window has one place too many: q - kv = window is kept. `window` counts the query's own "
        "place, so 0 <= q - kv < window.",
    ),
    Mistake(
        "local-mask-for-a-sliding-window",
        find=WINDOW,
        replace="        return (q - kv).abs() < window",
        says="Your sliding window reaches into the future too: that is a local mask. A sliding window looks "
        "back only: 0 <= q - kv < window.",
    ),
    Mistake(
        "window-open-to-the-future",
        find=WINDOW,
        replace="        return q - kv < window",
        says="Your window only limits how far a query looks back: q - kv < window holds for all of the "
        "future too. Two conditions are needed, q >= kv and q - kv < window.",
    ),
    Mistake(
        "window-not-causal-by-itself",
        find=WINDOW,
        replace="        return (kv > q - window) & (kv <= q + window)",
        says="Your sliding window reaches `window` places into the future. It is causal by itself: "
        "0 <= q - kv < window.",
    ),
    Mistake(
        "chunked-and-causal",
        find=CHUNKED,
        replace="        return (q // chunk_size == kv // chunk_size) & (q >= kv)",
        says="Your chunked hides the future as well. It says one thing only, that both places are in the "
        "same chunk; who wants it causal combines it: and_masks(causal, chunked(…)).",
    ),
    Mistake(
        "window-for-chunks",
        find=CHUNKED,
        replace="        return (q - kv).abs() < chunk_size",
        says="Your chunked goes by the distance, so a chunk travels with each query. Chunks stand still: "
        "q // chunk_size == kv // chunk_size.",
    ),
    Mistake(
        "chunks-see-earlier-ones",
        find=CHUNKED,
        replace="        return q // chunk_size >= kv // chunk_size",
        says="Your queries also see all chunks before their own. Only the own one counts: "
        "q // chunk_size == kv // chunk_size.",
    ),
    Mistake(
        "chunks-by-remainder",
        find=CHUNKED,
        replace="        return q % chunk_size == kv % chunk_size",
        says="You compare the remainders: that keeps every chunk_size-th place. Places are in the same chunk "
        "if their quotients are equal: q // chunk_size == kv // chunk_size.",
    ),
    Mistake(
        "padding-inverted",
        find="        return keep[batch, kv]",
        replace="        return ~keep[batch, kv]",
        says="You keep the padding. keep is True for the keys that may be read: return keep[batch, kv] as it "
        "is.",
    ),
    Mistake(
        "padding-of-queries",
        find="        return keep[batch, kv]",
        replace="        return keep[batch, q]",
        says="You ask whether the query is padding. It is keys that are hidden: keep[batch, kv].",
    ),
    Mistake(
        "padding-of-the-first-row",
        find="        return keep[batch, kv]",
        replace="        return keep[0, kv]",
        says="You look into the first row for every sequence of the batch. Each has its own padding: "
        "keep[batch, kv].",
    ),
    Mistake(
        "padding-behind-a-count",
        find="        return keep[batch, kv]",
        replace="        return kv < keep.sum(dim=1)[batch]",
        says="Your padding keeps the first keys of a row, as many as are no padding, as if all padding stood "
        "behind the text. It may stand in front or in between: look each key up, keep[batch, kv].",
    ),
    Mistake(
        "padding-without-batch",
        find="        return keep[batch, kv]",
        replace="        return keep[:, None, None, :]",
        says="You return a table for all batches and keys, whatever indices came. A mask function answers "
        "for the indices that it gets: keep[batch, kv].",
    ),
    Mistake(
        "packed-and-causal",
        find=PACKED,
        replace=f"{PACKED[:15]}({PACKED[15:]}) & (q >= kv)",
        says="Your packed hides the future as well. It says one thing only, that both places belong to the "
        "same text; who wants it causal combines it: and_masks(causal, packed(…)).",
    ),
    Mistake(
        "packed-sees-earlier-texts",
        find=PACKED,
        replace=PACKED.replace("==", ">="),
        says="You compare the ids with >=: a text with a higher id sees those with lower ones. The ids have "
        "to be equal.",
    ),
    Mistake(
        "packed-of-the-first-row",
        find=PACKED,
        replace=PACKED.replace("[batch,", "[0,"),
        says="You take the ids of the first row for every sequence of the batch. Each row is packed in its "
        "own way: sequence_ids[batch, q].",
    ),
    *(
        Mistake(
            name,
            find=PACKED,
            replace=f"{PACKED[:15]}({PACKED[15:]}) & (sequence_ids[batch, kv] {kept})",
            says=f"You hide the keys whose id is {hidden}, as if they were padding. An id is a name for a "
            "text, whatever number it is: equal ones are enough. For padding there is a function of its own, "
            "padding.",
        )
        for name, kept, hidden in [
            ("packed-takes-zero-for-padding", "!= 0", "0"),
            ("packed-takes-minus-one-for-padding", "!= -1", "-1"),
            ("packed-takes-below-one-for-padding", "> 0", "0 or negative"),
            ("packed-takes-negatives-for-padding", ">= 0", "negative"),
        ]
    ),
    Mistake(
        "table-not-expanded",
        find=TABLE,
        replace="    return fn(b, h, q, kv)",
        says="Your table is as small as what the function returns. One that does not depend on the batch, "
        "the head or a place gives a size of 1 there (or no dimension at all): expand it to (batch, heads, "
        "q_len, kv_len).",
    ),
    Mistake(
        "queries-and-keys-swapped",
        find=TABLE,
        replace="    return fn(b, h, kv, q).expand(batch, heads, q_len, kv_len)",
        says="You hand the indices over in another order. A mask function takes (batch, head, q, kv), rows "
        "of the table are queries.",
    ),
    Mistake(
        "last-query-at-the-last-key",
        find="    q = torch.arange(q_len)[:, None]",
        replace="    q = torch.arange(kv_len - q_len, kv_len)[:, None]",
        says="Your materialize puts the last query at the place of the last key, as in decoding with a "
        "cache. Here queries and keys both count from 0; where they begin elsewhere, offset moves them.",
    ),
    Mistake(
        "batch-and-heads-swapped",
        find=TABLE,
        replace="    return fn(h, b, q, kv).expand(batch, heads, q_len, kv_len)",
        says="You hand the head over as the batch, and the batch as the head. A mask function takes "
        "(batch, head, q, kv).",
    ),
    Mistake(
        "first-head-for-all",
        find=TABLE,
        replace="    return fn(b * 0, h * 0, q, kv).expand(batch, heads, q_len, kv_len)",
        says="You ask for the first sequence and head only, and use the answer for all. A mask function may "
        "depend on both: give it all indices.",
    ),
    Mistake(
        "table-on-the-cpu",
        find="    kv = torch.arange(kv_len)  # (kv_len)",
        replace='    b, h, q = b.to("cpu"), h.to("cpu"), torch.arange(q_len, device="cpu")[:, None]\n'
        '    kv = torch.arange(kv_len, device="cpu")',
        also=(
            ("torch.arange(batch)[:", 'torch.arange(batch, device="cpu")[:'),
            ("torch.arange(heads)[:", 'torch.arange(heads, device="cpu")[:'),
        ),
        says="You make the table on the CPU, whatever the default device is. Leave the device out: then "
        "torch.arange takes the default one.",
    ),
    Mistake(
        "signs-swapped",
        find=RENDER,
        replace=RENDER.replace('"■" if kept else "⬚"', '"⬚" if kept else "■"'),
        says="You draw ■ where the mask hides. ■ is what is kept, ⬚ what is not.",
    ),
    Mistake(
        "signs-without-spaces",
        find=RENDER,
        replace=RENDER.replace('" ".join', '"".join'),
        says="Your signs stand without spaces between them. Join those of a row by single spaces.",
    ),
    Mistake(
        "newline-at-the-end",
        find=RENDER,
        replace=RENDER.replace("mask.tolist())", 'mask.tolist()) + "\\n"'),
        says="Your text ends with a newline. Newlines stand between rows only.",
    ),
    Mistake(
        "space-at-the-end",
        find=RENDER,
        replace=RENDER.replace('" ".join', '"".join').replace('"■"', '"■ "').replace('"⬚"', '"⬚ "'),
        says="Your rows end with a space. Spaces stand between signs only.",
    ),
]
