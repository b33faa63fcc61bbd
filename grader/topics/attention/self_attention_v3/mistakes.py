"""Known wrong versions of `self_attention_v3`."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes
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
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""
MASKING = """\
        if mask is not None:
            # Before the softmax, so that the allowed weights still sum to 1: exp(-inf) is exactly 0.
            scores = scores.masked_fill(~mask, -math.inf)
"""


MISTAKES = [
    attention_mistakes.PROJECTION_INTERLEAVED,
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.ON_VALUES,
    dropout_mistakes.on_output(),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.IN_SCORES,
    dropout_mistakes.RENORMALISED,
    dropout_mistakes.RENORMALISED_TO_NAN,
    dropout_mistakes.IN_EVALUATION,
    dropout_mistakes.MISSING,
    dropout_mistakes.BACKWARD_FORGETS_THE_MASK,
    dropout_mistakes.KEEPS_THAT_SHARE,
    dropout_mistakes.NOT_RESCALED,
    mask_mistakes.INVERTED,
    *mask_mistakes.inverted_in_place(),
    *mask_mistakes.with_either_fill(
        Mistake(
            "mask-along-the-wrong-axis",
            find="scores.masked_fill(~mask, -math.inf)",
            replace="scores.masked_fill(~mask.transpose(-2, -1), -math.inf)",
            says="You apply the mask along the wrong axis: its rows are queries and its columns keys, like "
            "those of the scores. (A padding mask therefore comes as (batch, 1, seq), the same keys hidden "
            "from every query; along the rows it would silence whole queries, and with -inf these are NaN.)",
        )
    ),
    Mistake(
        "mask-with-a-head-dimension",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask.unsqueeze(1), -math.inf)",
        says="You add a dimension for heads to the mask. There is one head and the scores are (batch, seq, "
        "seq), so the batch broadcasts against itself and the result has four dimensions. Use the mask as "
        "it comes.",
    ),
    mask_mistakes.BY_INDEXING,
    mask_mistakes.SQUEEZED,
    mask_mistakes.as_a_condition(),
    Mistake(
        "mask-frozen",
        find="            scores = scores.masked_fill(~mask, -math.inf)",
        replace="""\
            if not hasattr(self, "mask"):
                self.mask = mask
            scores = scores.masked_fill(~self.mask, -math.inf)""",
        says="You keep the first mask in the module and use it for every later call. Padding and length "
        "change with each batch: use the mask of the call, and store none, neither here nor in the "
        "constructor.",
    ),
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(MASKING),
    mask_mistakes.times_minus_infinity(),
    mask_mistakes.after_softmax(MASKING),
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    attention_mistakes.OUTPUT_PROJECTION_FORGOTTEN,
    score_mistakes.scale_by_fused_width("math.sqrt(query.shape[-1])", "3 * query.shape[-1]"),
    score_mistakes.scale_missing("scores = scores / math.sqrt(query.shape[-1])"),
    score_mistakes.fused_bias_not_scaled("scores", "math.sqrt(query.shape[-1])"),
    *score_mistakes.other_scales("scores", "query.shape[-1]"),
    attention_mistakes.KEY_FIRST,
    attention_mistakes.VALUE_BEFORE_KEY,
    attention_mistakes.VALUE_FIRST,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    *mask_mistakes.with_either_fill(score_mistakes.softmax_over_queries("(batch, seq, seq)")),
    attention_mistakes.biases_left_out(LAYERS),
    *attention_mistakes.some_biases_left_out(LAYERS),
    mask_mistakes.after_softmax_renormalised(MASKING),
    mask_mistakes.after_softmax_renormalised_to_zeros(MASKING),
    score_mistakes.clamped("scores / math.sqrt(query.shape[-1])"),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    *score_mistakes.underflow_hidden(),
    dropout_mistakes.SHARED_BY_SEQUENCES,
    dropout_mistakes.SHARED_BY_QUERIES,
    dropout_mistakes.SHARED_BY_SEQUENCES_AND_QUERIES,
    dropout_mistakes.OF_WHOLE_QUERIES,
    Mistake(
        "dropout-of-the-class",
        find="        self.dropout = nn.Dropout(dropout)\n",
        replace="        type(self).probability = dropout\n",
        also=(("self.dropout(weights)", "nn.functional.dropout(weights, self.probability, self.training)"),),
        says="Your instances share the probability of dropout: it is stored on the class (or in a global "
        "variable), so the one made last decides for all. A model holds many layers, made with different "
        "arguments: store it on self.",
    ),
    mask_mistakes.zero_scores_masked(),
    Mistake(
        "mask-of-the-first-call",
        find=MASKING,
        replace="""\
        if mask is not None:
            mask = self.__dict__.setdefault("masks", {}).setdefault(mask.shape, mask)
            scores = scores.masked_fill(~mask, -math.inf)
""",
        says="You keep what you make of a mask from call to call, so another mask of the same shape "
        "is answered with the first one. Each call has its own mask: make it anew.",
    ),
    Mistake(
        "mask-of-the-call-before",
        find=MASKING,
        replace="""\
        mask = self.__dict__.get("last") if mask is None else mask
        if mask is not None and mask.shape[-1] in (1, x.shape[1]):
            self.__dict__.update(last=mask)
            scores = scores.masked_fill(~mask, -math.inf)
""",
        says="A call without a mask gets the one of the call before, which you keep on self. No mask means "
        "that every token may attend to all.",
    ),
    causal_mistakes.WITHOUT_A_MASK,
    *causal_mistakes.ALWAYS,
    layout_mistakes.fused_transposed("", "self.o_proj(context)"),
    layout_mistakes.fused_transposed("input"),
    layout_mistakes.transposed("output", "self.o_proj(context)"),
    *floor_mistakes.after_softmax_renormalised(
        "at least 1e-6", "plus 1e-12", "plus 1e-9", "plus 1e-8", "plus 1e-6", masking=MASKING
    ),
    unmasked_mistakes.max_not_subtracted(),
]
