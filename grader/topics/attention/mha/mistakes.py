"""Known wrong versions of `mha`."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes, instance_mistakes
from grader.kit.families.attention.mistakes import (
    attention_mistakes,
    causal_mistakes,
    floor_mistakes,
    layout_mistakes,
    mask_mistakes,
    score_mistakes,
    unmasked_mistakes,
)

LAYERS = """\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""
SPLIT = """\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)"""


MISTAKES = [
    attention_mistakes.biases_left_out(LAYERS),
    *attention_mistakes.some_biases_left_out(LAYERS),
    attention_mistakes.heads_split_without_transpose(SPLIT),
    attention_mistakes.heads_merged_without_transpose(),
    attention_mistakes.heads_merged_interleaved(),
    attention_mistakes.heads_split_and_merged_without_transpose(SPLIT),
    Mistake(
        "key-and-value-from-query",
        find="""\
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        key = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        says="Your keys and values are reshaped from the projected queries, a slip of copying lines: "
        "k_proj and v_proj are never used. Reshape each from its own projection of x.",
    ),
    score_mistakes.SCALE_BY_HIDDEN_SIZE,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    *score_mistakes.other_scales("scores", "self.head_dim", "head_dim"),
    mask_mistakes.INVERTED,
    *mask_mistakes.inverted_in_place(),
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(),
    mask_mistakes.times_minus_infinity(),
    score_mistakes.QUERY_AND_KEY_SWAPPED,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    *mask_mistakes.with_either_fill(score_mistakes.softmax_over_queries("(batch, num_heads, seq, seq)")),
    *mask_mistakes.with_either_fill(score_mistakes.SOFTMAX_OVER_HEADS),
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.ON_VALUES,
    dropout_mistakes.IN_EVALUATION,
    attention_mistakes.output_projection_forgotten(),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    Mistake(
        "heads-not-moved-before-the-sequence",
        find="""\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)

        scores = query @ key.transpose(-2, -1)  # (batch, num_heads, seq, seq)
        scores = scores / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = weights @ value  # (batch, num_heads, seq, head_dim)

        # reshape, not view: after the transpose the memory is no longer contiguous.
        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)""",
        replace="""\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim)

        scores = query @ key.transpose(-2, -1)
        scores = scores / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = weights @ value
        context = context.reshape(batch, seq, hidden_size)""",
        says="You leave the heads behind the sequence, (batch, seq, num_heads, head_dim), so each "
        "token's heads attend to each other and no token sees another one. transpose(1, 2) after "
        "the view: the product needs (batch, num_heads, seq, head_dim).",
    ),
    Mistake(
        "heads-and-head-dim-swapped",
        find=SPLIT,
        replace="""\
        query = self.q_proj(x).view(batch, seq, self.head_dim, self.num_heads).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.head_dim, self.num_heads).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.head_dim, self.num_heads).transpose(1, 2)""",
        says="You view the features as (head_dim, num_heads), so there are head_dim heads with "
        "num_heads features each. The heads come first: view(batch, seq, num_heads, head_dim) "
        "gives head i the features i * head_dim … (i + 1) * head_dim - 1.",
    ),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT),
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    mask_mistakes.after_softmax(),
    dropout_mistakes.MISSING,
    dropout_mistakes.BACKWARD_FORGETS_THE_MASK,
    dropout_mistakes.backward_forgets_the_mask_for_values(),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.on_output(),
    dropout_mistakes.KEEPS_THAT_SHARE,
    dropout_mistakes.RENORMALISED,
    dropout_mistakes.RENORMALISED_TO_NAN,
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    mask_mistakes.after_softmax_renormalised(),
    mask_mistakes.after_softmax_renormalised_to_zeros(),
    score_mistakes.clamped("scores / math.sqrt(self.head_dim)"),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    dropout_mistakes.NOT_RESCALED,
    dropout_mistakes.SHARED_BY_HEADS,
    dropout_mistakes.SHARED_BY_QUERIES,
    dropout_mistakes.SHARED_BY_SEQUENCES,
    dropout_mistakes.SHARED_BY_SEQUENCES_AND_HEADS,
    dropout_mistakes.SHARED_BY_EVERYTHING,
    dropout_mistakes.OF_WHOLE_QUERIES,
    mask_mistakes.OF_THE_FIRST_QUERY,
    mask_mistakes.OF_THE_FIRST_HEAD,
    *mask_mistakes.with_either_fill(
        Mistake(
            "mask-transposed",
            find="scores.masked_fill(~mask, -math.inf)",
            replace="scores.masked_fill(~mask.transpose(-2, -1), -math.inf)",
            says="You swap queries and keys in the mask: its rows are queries and its columns keys, like "
            "those of the scores, so it fits them as it comes.",
        )
    ),
    instance_mistakes.kept_on_the_class("        self.num_heads = num_heads\n", "the number of heads"),
    mask_mistakes.repeated_heads_first(),
    mask_mistakes.zero_scores_masked(),
    score_mistakes.scale_by_length("math.sqrt(self.head_dim)", "seq"),
    attention_mistakes.value_projected_twice("x", "k_proj"),
    attention_mistakes.value_projected_twice("x", "q_proj"),
    causal_mistakes.WITHOUT_A_MASK,
    *causal_mistakes.ALWAYS,
    layout_mistakes.transposed(
        "", "self.q_proj(x)", "self.k_proj(x)", "self.v_proj(x)", "self.o_proj(context)"
    ),
    layout_mistakes.transposed("input", "self.q_proj(x)", "self.k_proj(x)", "self.v_proj(x)"),
    layout_mistakes.transposed("output", "self.o_proj(context)"),
    *floor_mistakes.after_softmax_renormalised("plus 1e-9", "plus 1e-8", "plus 1e-6"),
    unmasked_mistakes.max_not_subtracted(),
]
