"""Known wrong versions of `encoder_layer`: the attention in it."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import (
    attention_mistakes,
    causal_mistakes,
    floor_mistakes,
    layout_mistakes,
)
from grader.kit.families.models import mistakes_in_attention as shared

LAYERS = """\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""
SPLIT = """\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)"""

ALWAYS_CAUSAL = (
    "Your attention is causal, with a mask and without. An encoder knows the whole sequence: every token may "
    "attend to every other, as far as the mask allows."
)
TRANSPOSED = "Your mask is transposed: its rows are queries and its columns keys, as those of the scores are."

MISTAKES = [
    attention_mistakes.biases_left_out(LAYERS),
    *attention_mistakes.some_biases_left_out(LAYERS),
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    attention_mistakes.value_projected_twice("x", "k_proj"),
    attention_mistakes.value_projected_twice("x", "q_proj"),
    attention_mistakes.heads_split_without_transpose(SPLIT),
    attention_mistakes.heads_split_and_merged_without_transpose(SPLIT),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT),
    *shared.sizes_of_heads_exchanged(SPLIT),
    attention_mistakes.heads_merged_without_transpose(),
    attention_mistakes.heads_merged_interleaved(),
    attention_mistakes.output_projection_forgotten(),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    Mistake(
        "causal",
        find="attn_mask=mask,",
        replace="attn_mask=mask, is_causal=mask is None,",
        says="Your attention is causal. An encoder knows the whole sequence: every token may attend to "
        "every other, as far as the mask allows. Only a decoder must not see what it has yet to write.",
    ),
    shared.MASK_INVERTED,
    shared.MASK_INVERTED_WRITTEN_OUT,
    shared.MASK_INVERTED_WITH_FINITE_FILL,
    *shared.MASK_INVERTED_IN_PLACE,
    shared.MASK_ADDED,
    shared.MASK_IGNORED,
    shared.MASK_OF_THE_FIRST_HEAD,
    *shared.MASK_OF_THE_FIRST_SEQUENCE,
    shared.MASK_LAID_OUT_BY_HEADS,
    shared.SCORES_LAID_OUT_BY_HEADS,
    shared.MASK_OF_THE_FIRST_HEAD_LAID_OUT_BY_HEADS,
    shared.WEIGHTS_DETACHED,
    shared.SCALED_TWICE,
    shared.SCALE_MISSING,
    shared.SCALE_BY_HIDDEN_SIZE,
    shared.SCALE_BY_HEADS,
    shared.MASK_FILLS_ZERO,
    shared.MASK_AFTER_SOFTMAX,
    *shared.MASK_FILLS_WEIGHTS,
    shared.MASK_TIMES_MINUS_INFINITY,
    shared.FILL_NOT_LOW_ENOUGH,
    shared.ADDED_NUMBER_NOT_LOW_ENOUGH,
    shared.MASK_AFTER_SOFTMAX_RENORMALISED,
    shared.MASK_AFTER_SOFTMAX_RENORMALISED_TO_ZEROS,
    shared.MAX_NOT_SUBTRACTED,
    shared.LARGEST_OF_ALL_SUBTRACTED,
    shared.SCORES_CLAMPED,
    shared.SOFTMAX_OVER_QUERIES,
    shared.SCORE_OF_ZERO_ADDED,
    *shared.WITHOUT_A_MASK,
    Mistake(
        "mask-transposed",
        find="attn_mask=mask,",
        replace="attn_mask=None if mask is None else mask.transpose(-2, -1),",
        says=TRANSPOSED,
    ),
    shared.written_out(
        Mistake(
            "mask-transposed-written-out",
            find="~mask,",
            replace="~mask.transpose(-2, -1),",
            says=TRANSPOSED,
        )
    ),
    Mistake(
        "always-causal-by-the-fused-function",
        find="attn_mask=mask,",
        replace="attn_mask=x.new_ones(seq, seq).tril().bool() & (True if mask is None else mask),",
        says=ALWAYS_CAUSAL,
    ),
    *(replace(shared.written_out(mistake), says=ALWAYS_CAUSAL) for mistake in causal_mistakes.ALWAYS),
    layout_mistakes.transposed(
        "attention", "self.q_proj(x)", "self.k_proj(x)", "self.v_proj(x)", "self.o_proj(context)"
    ),
    layout_mistakes.transposed("input", "self.q_proj(x)", "self.k_proj(x)", "self.v_proj(x)"),
    layout_mistakes.transposed("output", "self.o_proj(context)"),
    *(
        shared.written_out(mistake)
        for mistake in floor_mistakes.after_softmax_renormalised("plus 1e-9", "plus 1e-8", "plus 1e-6")
    ),
]
