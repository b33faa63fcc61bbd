"""Known wrong versions of `mqa`."""

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
        self.k_proj = nn.Linear(hidden_size, self.head_dim)
        self.v_proj = nn.Linear(hidden_size, self.head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""
SPLIT = "self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)"


SHARED = """\
        key = self.k_proj(x).view(batch, seq, -1, self.head_dim).transpose(1, 2)  # (batch, 1, seq, head_dim)
        value = self.v_proj(x).view(batch, seq, -1, self.head_dim).transpose(1, 2)  # the same"""


MISTAKES = [
    attention_mistakes.biases_left_out(LAYERS),
    *attention_mistakes.some_biases_left_out(LAYERS),
    Mistake(
        "kv-heads-not-shared",
        find="""\
        self.k_proj = nn.Linear(hidden_size, self.head_dim)
        self.v_proj = nn.Linear(hidden_size, self.head_dim)""",
        replace="""\
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)""",
        says="Your k_proj and v_proj have hidden_size outputs, a key and a value for every head, as in "
        "multi-head attention. Here all heads share one: project to head_dim features. That is what makes "
        "the KV cache num_heads times smaller.",
    ),
    Mistake(
        "features-copied",
        find=SHARED,
        replace="""\
        key = self.k_proj(x).repeat_interleave(self.num_heads, dim=2)
        key = key.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).repeat_interleave(self.num_heads, dim=2)
        value = value.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)""",
        says="You copy single features in place (0 0 0 1 1 1) and cut the result into heads, so head 0 gets "
        "feature 0 again and again. Every head reads the whole key and value: no copy is needed, "
        "unsqueeze(1) makes a head dimension of 1 that broadcasts.",
    ),
    Mistake(
        "tokens-copied",
        find=SHARED,
        replace="""\
        key = self.k_proj(x).repeat_interleave(self.num_heads, dim=1)
        key = key.view(batch, self.num_heads, seq, self.head_dim)
        value = self.v_proj(x).repeat_interleave(self.num_heads, dim=1)
        value = value.view(batch, self.num_heads, seq, self.head_dim)""",
        says="Your copies of a token stand side by side (0 0 0 1 1 1) when you view them as (batch, "
        "num_heads, seq, head_dim), so a head sees a few tokens several times and others never. Every "
        "head reads all tokens: no copy is needed, unsqueeze(1) makes a head dimension of 1 that broadcasts.",
    ),
    Mistake(
        "batch-entries-mixed",
        find=SHARED,
        replace="""\
        key = self.k_proj(x).repeat(self.num_heads, 1, 1)
        key = key.view(batch, self.num_heads, seq, self.head_dim)
        value = self.v_proj(x).repeat(self.num_heads, 1, 1)
        value = value.view(batch, self.num_heads, seq, self.head_dim)""",
        says="You tile keys and values along the batch (0 1 0 1) and view that as (batch, num_heads, …), so "
        "heads read another sequence's tokens. The copies of one entry have to stand together; simpler, "
        "unsqueeze(1) makes a head dimension of 1 that broadcasts.",
    ),
    Mistake(
        "value-heads-not-shared",
        find="""\
        self.v_proj = nn.Linear(hidden_size, self.head_dim)""",
        replace="""\
        self.v_proj = nn.Linear(hidden_size, hidden_size)""",
        says="Only your keys are shared: v_proj has hidden_size outputs. All heads share one value as well "
        "as one key, of head_dim features; the cache holds both.",
    ),
    Mistake(
        "query-heads-averaged",
        find="        scores = query @ key.transpose(-2, -1)",
        replace="        scores = query.mean(dim=1, keepdim=True).expand_as(query) @ key.transpose(-2, -1)",
        says="Your heads all have the same scores. The queries are what still differs between the heads: "
        "each head has its own scores over the shared keys.",
    ),
    Mistake(
        "weights-averaged-over-heads",
        find="weights = self.dropout(weights)",
        replace="weights = self.dropout(weights).mean(dim=1, keepdim=True).expand_as(scores)",
        says="You average the weights of all heads, so every head has the same result. Keys and values are "
        "shared, weights are not: each query head takes the mean of the values under its own weights.",
    ),
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    attention_mistakes.heads_split_without_transpose(SPLIT, what="the queries"),
    attention_mistakes.heads_interleaved(SPLIT, head="query head"),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT, head="query head"),
    attention_mistakes.heads_merged_without_transpose(),
    attention_mistakes.heads_merged_interleaved(),
    score_mistakes.SCALE_BY_HIDDEN_SIZE,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    *score_mistakes.other_scales("scores", "self.head_dim", "head_dim"),
    score_mistakes.bias_not_scaled("scores = scores / math.sqrt(self.head_dim)", "math.sqrt(self.head_dim)"),
    mask_mistakes.OF_THE_FIRST_QUERY,
    mask_mistakes.OF_THE_FIRST_HEAD,
    mask_mistakes.BY_INDEXING,
    mask_mistakes.SQUEEZED,
    mask_mistakes.SQUEEZED_ALONG_HEADS,
    mask_mistakes.INVERTED,
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(),
    mask_mistakes.times_minus_infinity(),
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    score_mistakes.QUERY_AND_KEY_SWAPPED,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    score_mistakes.softmax_over_queries("(batch, num_heads, seq, seq)"),
    *mask_mistakes.with_either_fill(score_mistakes.SOFTMAX_OVER_HEADS),
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.ON_VALUES,
    dropout_mistakes.on_output(),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.IN_SCORES,
    dropout_mistakes.IN_EVALUATION,
    dropout_mistakes.MISSING,
    dropout_mistakes.BACKWARD_FORGETS_THE_MASK,
    dropout_mistakes.backward_forgets_the_mask_for_values(),
    dropout_mistakes.NOT_RESCALED,
    dropout_mistakes.KEEPS_THAT_SHARE,
    dropout_mistakes.RENORMALISED,
    attention_mistakes.output_projection_forgotten(),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    mask_mistakes.after_softmax_renormalised(),
    mask_mistakes.after_softmax_renormalised_to_zeros(),
    score_mistakes.clamped("scores / math.sqrt(self.head_dim)"),
    mask_mistakes.after_softmax(),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    *score_mistakes.underflow_hidden(),
    instance_mistakes.kept_on_the_class("        self.num_heads = num_heads\n", "the number of heads"),
    mask_mistakes.repeated_heads_first(),
    Mistake(
        "mask-in-the-order-of-tokens",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="""\
scores.transpose(1, 2).reshape(scores.shape)  # the queries token by token
            scores = scores.masked_fill(~mask, -math.inf)
            scores = scores.view(batch, seq, self.num_heads, seq).transpose(1, 2)""",
        says="Your queries lie token by token, (seq, num_heads), where the mask has (num_heads, seq): a view "
        "of queries or scores as (batch, num_heads, seq, …) does not move data, so queries get each other's "
        "masks. Without a mask nobody notices, since all heads share the keys. Split the last dimension, and "
        "then transpose(1, 2).",
    ),
    mask_mistakes.zero_scores_masked(),
    score_mistakes.scale_by_length("math.sqrt(self.head_dim)", "seq"),
    dropout_mistakes.SHARED_BY_HEADS,
    dropout_mistakes.SHARED_BY_QUERIES,
    dropout_mistakes.SHARED_BY_SEQUENCES,
    dropout_mistakes.SHARED_BY_SEQUENCES_AND_HEADS,
    dropout_mistakes.SHARED_BY_EVERYTHING,
    dropout_mistakes.OF_WHOLE_QUERIES,
    *mask_mistakes.inverted_in_place(),
    causal_mistakes.WITHOUT_A_MASK,
    *causal_mistakes.ALWAYS,
    layout_mistakes.transposed("query", "self.q_proj(x)"),
    layout_mistakes.transposed("output", "self.o_proj(context)"),
    layout_mistakes.transposed("query and output", "self.q_proj(x)", "self.o_proj(context)"),
    *floor_mistakes.after_softmax_renormalised("at least 1e-6", "plus 1e-9", "plus 1e-8", "plus 1e-6"),
    unmasked_mistakes.max_not_subtracted(),
    *mask_mistakes.with_either_fill(score_mistakes.SOFTMAX_OVER_SEQUENCES),
]
