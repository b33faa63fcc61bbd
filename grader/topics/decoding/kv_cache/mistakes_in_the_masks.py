"""Known wrong versions of `kv_cache`: masks with their rows in another order, and attention in two parts."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import mask_mistakes

WHOLE = "        context = F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)\n"

MISTAKES = [
    *(
        Mistake(
            f"latest-keys-hidden-in-a-shorter-block-of-{size}",
            find=WHOLE,
            replace=f"""\
        if new > {size}:
            behind = torch.arange(new, device=x.device) >= new // {size} * {size}
            latest = positions - behind * ({size} - new % {size})
            mask = torch.arange(past + new, device=x.device) <= latest[:, None]
{WHOLE}""",
            says="Of a long chunk the last queries miss their latest keys: you go through the queries in "
            f"blocks (of {size}, for example) and count back from the end of the keys by a whole block, also "
            "in the last one, which is shorter. Count from where the block begins: its first query sees keys "
            "up to its own position.",
        )
        for size in (8, 16, 32, 64, 128)
    ),
    *(
        Mistake(
            f"mask-repeated-{words}",
            find="        context = F.scaled_dot_product_attention(",
            replace=f"""\
        group = query.shape[1] // self.num_kv_heads
        mask = mask.repeat_interleave({times}, dim=0).view({shape}, new, -1).repeat({again}, 1, 1)
        context = F.scaled_dot_product_attention(""",
            says="You repeat each row of the mask where the whole mask has to be repeated: the queries stand "
            f"{order} (all tokens of a head, then all of the next), so most of them get the mask of another "
            "token. Repeat it as often as it takes (repeat), not row by row (repeat_interleave), or let it "
            "broadcast.",
        )
        for words, times, shape, again, order in (
            ("row-by-row-in-a-group", "group", "group", "self.num_kv_heads", "head by head in their group"),
            ("row-by-row", "query.shape[1]", "query.shape[1]", "1", "head by head"),
        )
    ),
    *(
        Mistake(
            f"prefix-and-new-tokens-{words}",
            find=WHOLE,
            replace=f"""\
        own = mask[:, past:]
        context = F.scaled_dot_product_attention(
            query, key[:, :, past:], value[:, :, past:], own, enable_gqa=True
        )
        if past > 0:
            prefix = F.scaled_dot_product_attention(
                query, key[:, :, :past], value[:, :, :past], enable_gqa=True
            )
            repeated = key.repeat_interleave(query.shape[1] // key.shape[1], dim=1)
            scores = (query @ repeated.mT / self.head_dim**0.5).masked_fill(~mask, -torch.inf)
            parts = scores[..., :past], scores[..., past:]
            before, after = {weights}
            context = (before * prefix + after * context) / {total}
""",
            says="You attend to the cached tokens and to the new ones on their own, and put the two results "
            f"together {how}. Each has been divided by its own sum of exponentials, so that is its weight: "
            "exp(score) summed up over its tokens, less one maximum for both. Or take one softmax over all "
            "of them.",
        )
        for words, weights, total, how in (
            (
                "by-their-number",
                "past, own.sum(-1, keepdim=True)",
                "(before + after)",
                "by the numbers of tokens",
            ),
            ("by-halves", "1, 1", "2", "as their mean"),
            ("added", "1, 1", "1", "as their sum"),
            (
                "by-sums-of-their-own",
                "((part - part.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True) for part in parts)",
                "(before + after)",
                "by sums of exponentials less two different maxima",
            ),
            (
                "by-sums-that-overflow",
                "(part.exp().sum(-1, keepdim=True) for part in parts)",
                "(before + after)",
                "by sums of exponentials of the scores as they are, which overflow where these are large",
            ),
        )
    ),
    Mistake(
        "mask-after-softmax-renormalised",
        find=WHOLE,
        replace="""\
        repeated = key.repeat_interleave(query.shape[1] // key.shape[1], dim=1)
        scores = query @ repeated.mT / self.head_dim**0.5
        weights = (scores - scores.amax(dim=-1, keepdim=True)).exp() * mask
        weights = weights / weights.sum(dim=-1, keepdim=True)
        context = weights @ value.repeat_interleave(query.shape[1] // key.shape[1], dim=1)
""",
        says=mask_mistakes.after_softmax_renormalised().says,
    ),
]
