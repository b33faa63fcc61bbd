"""Known wrong versions of `masks`: padding as the end of a row, ids with a meaning, other shapes."""

from grader.kit import Mistake

PADDING = "    return (token_ids != pad_id)[:, None, None, :]\n"
MINIMUM = "hidden = torch.finfo(dtype).min"
PACKED = "    return same & causal\n"
CHUNK = "chunk = torch.arange(seq_len) // chunk_size"
GLOBAL = "is_global = torch.arange(seq_len) % stride == 0"
CAUSAL = "    return _distance(q_len, kv_len) >= 0\n"

MISTAKES = [
    Mistake(
        "padding-by-its-number",
        find=PADDING,
        replace="    seen = torch.arange(token_ids.shape[1], device=token_ids.device)\n"
        "    return (seen < (token_ids != pad_id).sum(1, keepdim=True))[:, None, None, :]\n",
        says="You count the tokens of a row that are no padding, and hide all behind so many. Padding "
        "may stand anywhere, in front too: ask of each key whether it is pad_id.",
    ),
    Mistake(
        "hidden-from-the-first-padding-on",
        find=PADDING,
        replace="    return (token_ids != pad_id).cumprod(1).bool()[:, None, None, :]\n",
        says="You hide all keys from the first padding of a row on. Padding may stand anywhere, and "
        "tokens behind it are seen: ask of each key whether it is pad_id.",
    ),
    Mistake(
        "padding-with-a-row-for-each-query",
        find=PADDING,
        replace=PADDING.replace(", :]", ", :].expand(-1, 1, token_ids.shape[1], -1)"),
        says="Your padding mask is (batch, 1, seq, seq), with the same row for each query. It is "
        "(batch, 1, 1, seq), which serves any number of queries by broadcasting.",
    ),
    Mistake(
        "packed-id-0-hidden",
        find=PACKED,
        replace="    return same & causal & (sequence_ids != 0)[:, None, None, :]\n",
        says="In your packed mask nobody sees the tokens with id 0, as if that meant padding. Here ids "
        "are whole numbers, all alike: 0 is a text like others.",
    ),
    Mistake(
        "packed-negative-ids-hidden",
        find=PACKED,
        replace="    return same & causal & (sequence_ids >= 0)[:, None, None, :]\n",
        says="In your packed mask nobody sees the tokens with negative ids, as if these meant padding. "
        "Here ids are whole numbers of either sign, all alike.",
    ),
    Mistake(
        "chunks-counted-from-the-end",
        find=CHUNK,
        replace="chunk = (seq_len - 1 - torch.arange(seq_len)) // chunk_size",
        says="You count the chunks from the last token on, so that the first one may be shorter. They "
        "are counted from the first token on: the last one may be shorter.",
    ),
    Mistake(
        "chunks-counted-from-one",
        find=CHUNK,
        replace="chunk = (torch.arange(seq_len) + 1) // chunk_size",
        says="Your first chunk is one token short, for example because places are counted from 1. They "
        "are counted from 0: chunk i // chunk_size.",
    ),
    Mistake(
        "sparse-first-tokens-global",
        find=GLOBAL,
        replace="is_global = torch.arange(seq_len) < stride",
        says="In your sparse mask the first `stride` tokens are global. Global are the multiples of "
        "stride: 0, stride, 2 * stride, …",
    ),
    Mistake(
        "sparse-token-0-alone-global",
        find=GLOBAL,
        replace="is_global = torch.arange(seq_len) == 0",
        says="In your sparse mask token 0 alone is global. All multiples of stride are: 0, stride, 2 * "
        "stride, …",
    ),
    Mistake(
        "causal-offset-turned",
        find=CAUSAL,
        replace="    return _distance(q_len, kv_len) >= 2 * (kv_len - q_len)\n",
        says="Your causal mask moves the diagonal to the wrong side: query i sees keys up to i + q_len "
        "- kv_len. With more keys than queries the earlier ones come from a cache, and query i "
        "sees keys up to i + kv_len - q_len.",
    ),
    Mistake(
        "additive-half-the-minimum",
        find=MINIMUM,
        replace=MINIMUM + " / 2",
        says="Your hidden places get half of the dtype's minimum, as some libraries do so that sums do "
        "not overflow. Asked for is torch.finfo(dtype).min itself.",
    ),
    Mistake(
        "additive-minimum-of-float16",
        find=MINIMUM,
        replace=MINIMUM.replace("dtype", "torch.float16"),
        says="Your hidden places get the minimum of float16, -65504, in every dtype. Asked for is that "
        "of the dtype that is given: torch.finfo(dtype).min.",
    ),
    Mistake(
        "combined-of-numbers",
        find="    return padding_mask(token_ids, pad_id) & causal\n",
        replace="    return (padding_mask(token_ids, pad_id) & causal).float()\n",
        says="Your combined mask consists of numbers. Masks have dtype torch.bool here.",
    ),
]
