"""Known wrong versions of `gpt2`: its attention."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import attention_mistakes as shared
from grader.kit.families.models.mistakes_in_attention import large_scores_under_a_causal_mask

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
    shared.heads_interleaved_and_merged_alike(SPLIT),
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
    *large_scores_under_a_causal_mask(LINE),
    shared.DIVISIBILITY_UNCHECKED,
    Mistake(
        "softmax-over-the-queries",
        find="""\
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, dropout_p=dropout_p, is_causal=True)
""",
        replace="""\
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        later = torch.ones(seq, seq, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(later, -math.inf)
        weights = self.dropout(scores.softmax(dim=-2))
        context = weights @ value
""",
        says="Your softmax runs over the queries: the weights of a key add up to 1, not those of a query. "
        "Each query's row is normalized over its keys, the last dimension.",
    ),
    Mistake(
        "masked-after-the-softmax",
        find="""\
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, dropout_p=dropout_p, is_causal=True)
""",
        replace="""\
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        later = torch.ones(seq, seq, dtype=torch.bool, device=x.device).triu(1)
        weights = self.dropout(scores.softmax(dim=-1).masked_fill(later, 0.0))
        context = weights @ value
""",
        says="You set the weights of later tokens to 0 after the softmax, so a query's weights no longer "
        "add up to 1. Put -inf in their scores before it.",
    ),
    Mistake(
        "later-scores-zero",
        find="""\
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, dropout_p=dropout_p, is_causal=True)
""",
        replace="""\
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        later = torch.ones(seq, seq, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(later, 0.0)
        weights = self.dropout(scores.softmax(dim=-1))
        context = weights @ value
""",
        says="You set the scores of later tokens to 0. exp(0) = 1 is a weight like others: it is -inf that "
        "the softmax turns into 0.",
    ),
    Mistake(
        "causal-mask-of-the-first-call",
        find="""\
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, dropout_p=dropout_p, is_causal=True)
""",
        replace="""\
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_dim)
        later = torch.ones(seq, seq, dtype=torch.bool, device=x.device).triu(1)
        if not hasattr(self, 'later'):
            self.later = later
        scores = scores.masked_fill(self.later[:seq, :seq], -math.inf)
        weights = self.dropout(scores.softmax(dim=-1))
        context = weights @ value
""",
        says="You make the causal mask at the first call and keep it: for more tokens than there were then "
        "it is too small. Make it for each length, or for max_position once and cut it.",
    ),
    Mistake(
        "scale-by-the-number-of-heads",
        find="query, key, value, dropout_p=dropout_p, is_causal=True)",
        replace=("query, key, value, dropout_p=dropout_p, is_causal=True, scale=self.num_heads**-0.5)"),
        says="You divide the scores by sqrt(num_heads). A score is a sum over head_dim features: divide by "
        "sqrt(head_dim).",
    ),
    Mistake(
        "features-before-heads-when-merged",
        find="context.transpose(1, 2).reshape(batch, seq, hidden_size)",
        replace="context.permute(0, 2, 3, 1).reshape(batch, seq, hidden_size)",
        says="You merge the heads with their features outermost: (batch, seq, head_dim, heads). o_proj gets "
        "head after head: (batch, seq, heads, head_dim), then flatten.",
    ),
    Mistake(
        "last-rows-of-the-full-mask",
        find=FUSED,
        replace=masked("x.new_ones(seq, seq, dtype=torch.bool).tril(self.max_position - seq)"),
        also=(
            (
                "        self.norm = nn.LayerNorm(hidden_size)\n",
                """\
        for layer in self.layers:
            layer.max_position = max_position
        self.norm = nn.LayerNorm(hidden_size)
""",
            ),
        ),
        says="You take the last seq rows of a causal mask for max_position tokens, with its first seq "
        "columns, so tokens of a text that is shorter than max_position see later ones. The text begins at "
        "position 0: take the first seq rows and columns.",
    ),
]
