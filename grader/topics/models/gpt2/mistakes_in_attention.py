"""Known wrong versions of `gpt2`: its attention."""

from grader.kit import Mistake
from grader.kit.families.attention import mistakes as shared

SPLIT = """\
        query = query.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = key.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = value.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)"""
CUT = "        query, key, value = self.qkv_proj(x).chunk(3, dim=-1)  # each (batch, seq, hidden_size)\n"
FUSED = "F.scaled_dot_product_attention(query, key, value, dropout_p=dropout_p, is_causal=True)"


def masked(mask: str) -> str:
    """The fused call with this boolean mask, True = may be attended to."""
    return FUSED.replace("is_causal=True", f"attn_mask={mask}")


def by_hand(scores: str, mask: str = "later") -> str:
    """The fused function written out, with another line for the scores or the mask."""
    return f"""\
        scores = {scores}
        later = torch.ones(seq, seq, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill({mask}, float("-inf")).softmax(dim=-1)
        context = F.dropout(weights, dropout_p) @ value"""


LINE = f"        context = {FUSED}"

MISTAKES = [
    Mistake(
        "causal-mask-missing",
        find=FUSED,
        replace=FUSED.replace(", is_causal=True", ""),
        says="Your tokens see what comes after them: the causal mask is missing. A model that reads the "
        "answer learns nothing: is_causal=True, or a lower triangular mask.",
    ),
    Mistake(
        "causal-mask-inverted",
        find=FUSED,
        replace=masked("torch.ones(seq, seq, dtype=torch.bool, device=x.device).triu()"),
        says="Your tokens see themselves and what comes after them, not what came before: the mask is the "
        "wrong way round. In F.scaled_dot_product_attention True means that a key may be attended to: the "
        "lower triangle.",
    ),
    Mistake(
        "causal-mask-without-the-diagonal",
        find=LINE,
        replace=by_hand(
            "query @ key.mT / self.head_dim**0.5", "later.logical_not().triu().logical_or(later)"
        ),
        says="Your tokens do not see themselves: the mask leaves out the diagonal (triu() without 1), and "
        "the first token has nothing to attend to, which is NaN. Token i attends to 0 … i.",
    ),
    Mistake(
        "causal-mask-added-as-a-number",
        find=FUSED,
        replace=masked("torch.ones(seq, seq, dtype=x.dtype, device=x.device).tril()"),
        says="You hand over the mask as numbers 0 and 1, which are added to the scores: nothing is hidden. "
        "Make it boolean, or use is_causal=True.",
    ),
    Mistake(
        "scaled-twice",
        find=FUSED,
        replace=FUSED.replace("(query,", "(query / self.head_dim**0.5,"),
        says="Your scores are divided by head_dim instead of its square root: by the root twice, for "
        "example, since F.scaled_dot_product_attention scales by itself.",
    ),
    Mistake(
        "scale-missing",
        find=FUSED,
        replace=FUSED.replace("is_causal=True", "is_causal=True, scale=1.0"),
        says="You do not divide the scores by sqrt(head_dim). Dot products of head_dim terms grow with its "
        "root.",
    ),
    Mistake(
        "scale-by-hidden-size",
        find=FUSED,
        replace=FUSED.replace("is_causal=True", "is_causal=True, scale=hidden_size**-0.5"),
        says="You scale by 1 / sqrt(hidden_size). A head's dot product has head_dim terms: 1 / "
        "sqrt(head_dim).",
    ),
    shared.KEY_FIRST,
    shared.VALUE_FIRST,
    shared.PROJECTION_INTERLEAVED,
    Mistake(
        "projection-cut-by-heads-first",
        find=CUT + SPLIT,
        replace="""\
        qkv = self.qkv_proj(x).view(batch, seq, self.num_heads, 3 * self.head_dim).transpose(1, 2)
        query, key, value = qkv.chunk(3, dim=-1)""",
        says="You cut the projection into heads first and each head into query, key and value. Its output "
        "is the whole query, then the whole key, then the whole value: cut it in three first, then into "
        "heads.",
    ),
    shared.heads_split_without_transpose(SPLIT),
    shared.heads_interleaved(SPLIT),
    shared.heads_split_and_merged_without_transpose(SPLIT),
    shared.heads_merged_without_transpose(),
    Mistake(
        "one-head",
        find=SPLIT,
        replace="        query, key, value = (part.unsqueeze(1) for part in (query, key, value))",
        says="You attend with all features at once, which is one head of hidden_size features. Split query, "
        "key and value into num_heads heads of head_dim features.",
    ),
    Mistake(
        "attention-over-heads",
        find=SPLIT,
        replace=SPLIT.replace(".transpose(1, 2)", ""),
        also=(("context.transpose(1, 2).reshape(", "context.reshape("),),
        says="You hand over (batch, seq, num_heads, head_dim). The built-in attends over the last but one "
        "dimension, so the heads of a token attend to each other: transpose(1, 2) first.",
    ),
    shared.output_projection_forgotten(),
    shared.DIVISIBILITY_UNCHECKED,
]
