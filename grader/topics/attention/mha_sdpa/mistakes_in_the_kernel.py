"""Known wrong versions of `mha_sdpa` that do without the built-in in one mode, or hand it wider heads."""

from grader.kit import Mistake

_CALL = """\
        context = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal
        )"""
_BY_HAND = """\
            scores = query @ key.mT / self.head_dim**0.5
            allowed = scores.new_ones(seq, seq).bool() if mask is None else mask.expand(-1, -1, seq, seq)
            scores = scores.masked_fill(~(allowed.tril() if is_causal else allowed), float("-inf"))
            context = F.dropout(scores.softmax(dim=-1), dropout_p) @ value
"""

MISTAKES = [
    *(
        Mistake(
            f"by-hand-{where}",
            find=_CALL,
            replace=f"        if {condition}:\n{_BY_HAND}        else:\n    " + _CALL.replace("\n", "\n    "),
            says=f"{words} you compute the attention by yourself, with a matrix of all scores. "
            "F.scaled_dot_product_attention computes it in both modes, and drops weights by its dropout_p.",
        )
        for where, condition, words in (
            ("under-dropout", "dropout_p > 0", "In training with dropout"),
            ("in-training", "self.training", "In training"),
            ("in-evaluation", "not self.training", "In evaluation"),
        )
    ),
    *(
        Mistake(
            f"scaled-by-heads-padded-to-{size}",
            find=_CALL,
            replace=f"""\
        if self.head_dim > 8:
            query = query * (self.head_dim / (self.head_dim + -self.head_dim % {size})) ** 0.5
{_CALL}""",
            says="Where heads are wider, your scores are divided by the root of a size that is larger than "
            "head_dim (heads are padded to a size that suits the kernel, for example, and the built-in "
            "divides by the root of what it gets). Divide by sqrt(head_dim): with padded heads, hand over "
            "scale.",
        )
        for size in (8, 16, 64)
    ),
]
