"""Known wrong versions of `bert`: the attention in its layers."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import attention_mistakes
from grader.kit.families.models import mistakes_in_attention as shared

SPLIT = """\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)"""


MISTAKES = [
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    attention_mistakes.heads_split_without_transpose(SPLIT),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT),
    attention_mistakes.heads_merged_without_transpose(),
    attention_mistakes.heads_merged_interleaved(),
    attention_mistakes.heads_split_and_merged_without_transpose(SPLIT),
    attention_mistakes.output_projection_forgotten(),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    Mistake(
        "causal",
        find="attn_mask=mask,",
        replace="attn_mask=mask, is_causal=mask is None,",
        says="Your attention is causal. BERT reads in both directions: every token attends to every other, "
        "as far as the mask allows.",
    ),
    shared.MASK_INVERTED,
    shared.MASK_INVERTED_WITH_FINITE_FILL,
    shared.MASK_ADDED,
    shared.MASK_IGNORED,
    shared.SCALED_TWICE,
    shared.SCALE_MISSING,
    shared.SCALE_BY_HIDDEN_SIZE,
    shared.MASK_FILLS_ZERO,
    shared.SOFTMAX_OVER_QUERIES,
    *shared.LARGE_SCORES,
    *shared.WITHOUT_A_MASK,
    Mistake(
        "mask-inverted-in-place",
        find="mask = attention_mask[:, None, None, :]",
        replace="mask = ~attention_mask.logical_not_()[:, None, None, :]",
        says="You write into attention_mask, by turning it round in place, for example: the next call with "
        "it is wrong. Make a new tensor: ~attention_mask.",
    ),
    Mistake(
        "padding-masked-as-queries-too",
        find="mask = attention_mask[:, None, None, :]",
        replace="mask = attention_mask[:, None, :, None] & attention_mask[:, None, None, :]",
        also=(shared.BY_HAND,),
        says="Your mask forbids padding to ask, too, so a row of padding is -inf throughout and becomes NaN. "
        "From the second layer on that reaches the real tokens, since 0 * NaN is NaN. Mask the keys alone: "
        "attention_mask[:, None, None, :].",
    ),
]
