"""Known wrong versions of `self_attention_v4` that take padding from elsewhere than from its mask."""

from grader.kit import Mistake

ALLOWED = """\
        allowed = torch.ones(1, seq, seq, dtype=torch.bool, device=x.device)  # (1, query, key)
        if is_causal:
            allowed = allowed.tril()
        if padding_mask is not None:
            allowed = allowed & padding_mask[:, None, :]  # (batch, seq, seq)
"""
MASKED = """\
        scores = scores.masked_fill(~allowed, -math.inf)
        weights = torch.softmax(scores, dim=-1)
"""

MISTAKES = [
    Mistake(
        "padding-left-out-where-the-first-sequence-has-none",
        find="        if padding_mask is not None:\n",
        replace="        if padding_mask is not None and not padding_mask[0].all():\n",
        says="Where the first sequence has no padding, you leave the padding out for all of the batch. Each "
        "sequence has its own: look at all of them, or at none.",
    ),
    Mistake(
        "forbidden-scores-lowered-by-1e4",
        find="scores = scores.masked_fill(~allowed, -math.inf)",
        replace="scores = scores.masked_fill(~allowed, -1e4) + scores.masked_fill(allowed, 0)",
        says="You lower forbidden scores by a large number (1e4, say), and one in the thousands still beats "
        "what is allowed. Put -inf in their place.",
    ),
    Mistake(
        "padding-at-the-end-only",
        find="        if padding_mask is not None:\n",
        replace="""\
        if padding_mask is not None:
            padding_mask = torch.arange(seq, device=x.device) < padding_mask.sum(dim=1, keepdim=True)
""",
        says="You count the real tokens of a sequence and take the first ones, as many, as if padding stood "
        "at the end only. It may be anywhere: padding_mask says of each token whether it is real.",
    ),
    Mistake(
        "padding-of-earlier-calls",
        find=ALLOWED,
        replace="""\
        kept, which = self.__dict__.setdefault("kept", {}), (*x.shape[:2], is_causal, x.device)
        if which not in kept:
            kept[which] = torch.ones(len(x), seq, seq, dtype=torch.bool, device=x.device)
            if is_causal:
                kept[which] = kept[which].tril()
        allowed = kept[which]
        if padding_mask is not None:
            allowed &= padding_mask[:, None, :]
""",
        says="You keep a mask for the next call of the same size, and write the padding into it in place "
        "(by &=, for example): so the padding of earlier calls is hidden too. Make a new tensor of both, "
        "allowed & padding_mask[:, None, :].",
    ),
    Mistake(
        "padding-left-out-where-the-last-tokens-are-real",
        find="        if padding_mask is not None:\n",
        replace="        if padding_mask is not None and not padding_mask[:, -1].all():\n",
        says="Where the last token of every sequence is real, you leave the padding out, as if there were "
        "none. It may stand anywhere but at the first token: look at the whole mask.",
    ),
    Mistake(
        "padding-rows-cleaned-behind-the-softmax",
        find=MASKED,
        replace="""\
        if padding_mask is not None:
            allowed = allowed & padding_mask[:, :, None]
        scores = scores + torch.zeros_like(scores).masked_fill(~allowed, -math.inf)
        weights = torch.softmax(scores, dim=-1).nan_to_num(nan=0.0)
""",
        says="Rows of padding have no key at all with you, and their NaN is taken away behind the softmax "
        "only: its backward pass still has it, and the gradients of x and of qkv_proj are NaN. Hide padding "
        "as keys alone, so that every row has a key.",
    ),
    *(
        Mistake(
            f"padding-after-softmax-renormalised{ending}",
            find=MASKED,
            replace=f"""\
        if is_causal:
            scores = scores.masked_fill(~torch.ones_like(allowed).tril(), -math.inf)
        weights = torch.softmax(scores, dim=-1) * allowed
        weights = weights / {total}
""",
            says="The scores of padding take part in your softmax, or at least in the maximum that it "
            f"subtracts; only then do you zero the weights of padding and normalise. {then} Mask the scores "
            "with -inf first, before the maximum is taken.",
        )
        for ending, total, then in (
            (
                "",
                "weights.sum(dim=-1, keepdim=True)",
                "Where a score of padding lies far above the others, their exponentials underflow to 0, and "
                "0 / 0 is NaN.",
            ),
            (
                "-to-zeros",
                "weights.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(weights.dtype).tiny)",
                "Where a score of padding lies far above the others, their exponentials underflow to 0, and "
                "so all weights of the row are 0 (a floor under the sum only hides the NaN).",
            ),
        )
    ),
]
