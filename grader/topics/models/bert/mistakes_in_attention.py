"""Known wrong versions of `bert`: the attention in its layers."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes
from grader.kit.families.attention.mistakes import attention_mistakes
from grader.kit.families.models import mistakes_in_attention as shared

SPLIT = """\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)"""

RUN = """\
        for layer in self.layers:
            x = layer(x, mask)
"""

MISTAKES = [
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    attention_mistakes.heads_split_without_transpose(SPLIT),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT),
    *shared.sizes_of_heads_exchanged(SPLIT),
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
    dropout_mistakes.mask_ignored_in_training("attn_mask=mask", "attn_mask=None if dropout_p else mask"),
    shared.MASK_INVERTED,
    shared.MASK_INVERTED_WITH_FINITE_FILL,
    *(replace(mistake, id=f"{mistake.id}-in-each-layer") for mistake in shared.MASK_INVERTED_IN_PLACE),
    shared.MASK_ADDED,
    shared.MASK_IGNORED,
    shared.SCALED_TWICE,
    shared.SCALE_MISSING,
    shared.SCALE_BY_HIDDEN_SIZE,
    shared.SCALE_BY_HEADS,
    shared.MASK_FILLS_ZERO,
    shared.MASK_AFTER_SOFTMAX,
    *shared.MASK_FILLS_WEIGHTS,
    shared.MASK_TIMES_MINUS_INFINITY,
    shared.SOFTMAX_OVER_QUERIES,
    shared.SCORE_OF_ZERO_ADDED,
    *shared.LARGE_SCORES,
    *shared.WITHOUT_A_MASK,
    Mistake(
        "cut-off-as-if-padding-were-last",
        find=RUN,
        replace="""\
        used = input_ids.shape[1] if attention_mask is None else int(attention_mask.sum(dim=1).max())
        padding = x.shape[1] - used
        x, mask = x[:, :used], None if mask is None else mask[..., :used]
        for layer in self.layers:
            x = layer(x, mask)
        x = F.pad(x, (0, 0, 0, padding))
""",
        says="You cut the batch off behind the largest number of real tokens that a sequence has, which "
        "leaves real tokens out where padding stands between them. attention_mask says which tokens are "
        "real, wherever they are: what can be cut off is behind the last real one of all sequences.",
    ),
    Mistake(
        "padding-taken-to-be-last",
        find="mask = attention_mask[:, None, None, :]",
        replace="lengths = attention_mask.sum(dim=1)[:, None, None, None]\n"
        "            mask = torch.arange(input_ids.shape[1], device=input_ids.device) < lengths",
        says="You count the real tokens of a sequence and attend to the first ones, as many, as if padding "
        "stood at the end only. attention_mask says which tokens are real, wherever they are: use it as it "
        "is, attention_mask[:, None, None, :].",
    ),
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
