"""Known wrong versions of `self_attention_v4`."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes
from grader.kit.families.attention.mistakes import (
    attention_mistakes,
    floor_mistakes,
    layout_mistakes,
    mask_mistakes,
    score_mistakes,
    unmasked_mistakes,
)

MASKING = "        scores = scores.masked_fill(~allowed, -math.inf)\n"
ZERO_SCORES = mask_mistakes.zero_scores_masked("allowed")
ZEROS_FILLED = "            scores = scores.masked_fill(scores == 0, {})\n"
WITH_ANY_MASK = f"""\
        if is_causal or padding_mask is not None:
            scores = scores * allowed
{ZEROS_FILLED}"""
CAUSAL_THEN_PADDING = f"""\
        if is_causal:
            scores = scores.tril()
{ZEROS_FILLED}\
        if padding_mask is not None:
            scores = scores.masked_fill(~padding_mask[:, None, :], {{}})
"""
FINITE = "torch.finfo(scores.dtype).min"


MISTAKES = [
    attention_mistakes.PROJECTION_INTERLEAVED,
    Mistake(
        "padding-along-the-wrong-axis",
        find="padding_mask[:, None, :]",
        replace="padding_mask[:, :, None]",
        says="Your real tokens still read the padding: the padding mask has no effect on them, or acts along "
        "the wrong axis, where (batch, seq, 1) silences the padded queries. Hide padding as keys, the last "
        "axis: padding_mask[:, None, :].",
    ),
    Mistake(
        "padding-hidden-as-queries-too",
        find="allowed = allowed & padding_mask[:, None, :]",
        replace="allowed = allowed & padding_mask[:, None, :] & padding_mask[:, :, None]",
        says="You also hide the padded queries, so their rows have no key left and are NaN. The loss may "
        "leave them out, but in backward NaN * 0 is NaN, and the gradients of the whole sequence are "
        "lost. Hide padding as keys only: padding_mask[:, None, :].",
    ),
    *mask_mistakes.with_either_fill(
        Mistake(
            "padding-inverted",
            find="padding_mask[:, None, :]",
            replace="~padding_mask[:, None, :]",
            says="You read padding_mask the wrong way round and hide the real tokens. True marks real tokens "
            "here, the opposite of key_padding_mask in nn.MultiheadAttention.",
        )
    ),
    Mistake(
        "padding-ignored-when-causal",
        find="        if padding_mask is not None:",
        replace="        elif padding_mask is not None:",
        says="With is_causal your padding mask does not act: it is overwritten by the causal one, or stands "
        "in an elif, for example. When both are given both hold: join the masks by & (where True allows).",
    ),
    Mistake(
        "causal-ignored",
        find="            allowed = allowed.tril()",
        replace="            pass",
        says="is_causal has no effect: it is not used, or what is made with it is thrown away (tril, triu "
        "and masked_fill give new tensors). Token i may attend to the tokens 0 … i only.",
    ),
    Mistake(
        "causal-overwritten-by-padding",
        find="allowed = allowed & padding_mask[:, None, :]",
        replace="allowed = padding_mask[:, None, :]",
        says="With padding your causal mask does not act (it is overwritten, or stands in an elif, for "
        "example), so tokens see the future. When both are given both hold: join the masks by & (where True "
        "allows).",
    ),
    *(
        Mistake(
            name,
            find="allowed & padding_mask[:, None, :]",
            replace=joined,
            says="You join the masks by |, which allows a key that either allows. A key has to be allowed by "
            "both: join masks of what is allowed by &. (| is right for masks of what is forbidden.)",
        )
        for name, joined in [
            # Without is_causal a mask of ones is joined too, or none.
            ("masks-joined-by-or", "allowed | padding_mask[:, None, :]"),
            ("both-masks-joined-by-or", "(allowed & is_causal) | padding_mask[:, None, :]"),
        ]
    ),
    mask_mistakes.as_a_condition("padding_mask"),
    *(
        Mistake(
            f"causal-mask-of-{size}-tokens",
            find="torch.ones(1, seq, seq, dtype=torch.bool, device=x.device)",
            replace=f"torch.ones(1, {size}, {size}, dtype=torch.bool, device=x.device)[:, :seq, :seq]",
            says=f"Your causal mask is frozen at {size} tokens, as if made in the constructor, and a longer "
            "sequence fails. A mask belongs to the call: make it in forward for the seq that came.",
        )
        for size in (64, 128, 256, 512, 1000, 1024, 2000, 2048)
    ),
    Mistake(
        "mask-of-an-earlier-call-of-this-shape",
        find=MASKING,
        replace="""\
        kept = self.__dict__.setdefault("kept", {})
        allowed = kept.setdefault((*x.shape[:2], padding_mask is None, is_causal), allowed)
"""
        + MASKING,
        says="You keep the joined mask by its shape, and a later call with other padding gets that of the "
        "call before. Only what depends on seq alone may be kept, the causal mask; padding comes with each "
        "call.",
    ),
    Mistake(
        "padding-of-an-earlier-call-of-this-shape",
        find="        if padding_mask is not None:\n",
        replace="""\
        if padding_mask is not None:
            kept = self.__dict__.setdefault("kept", {})
            padding_mask = kept.setdefault(padding_mask.shape, padding_mask)
""",
        says="You keep the padding mask of a call, and use it again when one of the same shape comes, with "
        "is_causal or without. Padding comes with each call: use what is given.",
    ),
    Mistake(
        "causal-mask-of-the-first-call",
        find="            allowed = allowed.tril()",
        replace="""\
            if not hasattr(self, "causal"):
                self.causal = allowed.tril()
            allowed = self.causal""",
        says="You keep the causal mask of the first call, which does not fit a longer sequence. Make it in "
        "forward for the seq that came.",
    ),
    *mask_mistakes.with_either_fill(mask_mistakes.CAUSAL_DROPS_THE_DIAGONAL),
    replace(
        mask_mistakes.CAUSAL_DROPS_THE_DIAGONAL,
        id="causal-drops-the-diagonal-with-two-fills",
        also=(
            (
                MASKING,
                """\
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        if padding_mask is not None:
            scores = scores.masked_fill(~padding_mask[:, None, :], -math.inf)
""",
            ),
        ),
    ),
    mask_mistakes.CAUSAL_SEES_ONE_AHEAD,
    mask_mistakes.CAUSAL_TRANSPOSED,
    mask_mistakes.fill_too_large_for_float16("allowed"),
    mask_mistakes.fill_not_low_enough("allowed"),
    mask_mistakes.added_number_not_low_enough("allowed"),
    mask_mistakes.fills_zero("~allowed"),
    mask_mistakes.ignored(MASKING, "allowed"),
    replace(
        mask_mistakes.times_minus_infinity("allowed"),
        find=MASKING,
        replace="""\
        if is_causal or padding_mask is not None:
            scores = scores + (1 - allowed.to(scores.dtype)) * -math.inf
""",
    ),
    mask_mistakes.added("allowed"),
    mask_mistakes.after_softmax(MASKING, "allowed"),
    Mistake(
        "softmax-not-cast-back",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-1, dtype=torch.float32)",
        says="You take the softmax in float32, which is good for float16, but do not cast the weights "
        "back, so their product with values of another dtype raises: add .to(value.dtype).",
    ),
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.ON_VALUES,
    dropout_mistakes.on_output(),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.in_scores(MASKING),
    dropout_mistakes.RENORMALISED,
    dropout_mistakes.RENORMALISED_TO_NAN,
    dropout_mistakes.IN_EVALUATION,
    dropout_mistakes.MISSING,
    dropout_mistakes.SHARED_BY_QUERIES,
    dropout_mistakes.SHARED_BY_SEQUENCES,
    dropout_mistakes.SHARED_BY_SEQUENCES_AND_QUERIES,
    dropout_mistakes.OF_WHOLE_QUERIES,
    dropout_mistakes.BACKWARD_FORGETS_THE_MASK,
    score_mistakes.scale_missing("query = query / math.sqrt(hidden_size)"),
    score_mistakes.fused_bias_not_scaled("query", "math.sqrt(hidden_size)"),
    *score_mistakes.other_scales("query", "hidden_size"),
    attention_mistakes.KEY_FIRST,
    attention_mistakes.VALUE_BEFORE_KEY,
    attention_mistakes.VALUE_FIRST,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    attention_mistakes.OUTPUT_PROJECTION_FORGOTTEN,
    *mask_mistakes.with_either_fill(score_mistakes.softmax_over_queries("(batch, seq, seq)")),
    score_mistakes.max_not_subtracted(),
    score_mistakes.SCORE_OF_ZERO_ADDED,
    score_mistakes.largest_of_all_subtracted(),
    score_mistakes.MAXIMUM_OVER_THE_QUERIES_SUBTRACTED,
    mask_mistakes.after_softmax_renormalised(MASKING, "allowed"),
    mask_mistakes.after_softmax_renormalised_to_zeros(MASKING, "allowed"),
    score_mistakes.clamped("query @ key.transpose(-2, -1)"),
    Mistake(
        "causal-after-softmax-renormalised",
        find="""\
        scores = scores.masked_fill(~allowed, -math.inf)
        weights = torch.softmax(scores, dim=-1)""",
        replace="""\
        if padding_mask is not None:
            scores = scores.masked_fill(~padding_mask[:, None, :], -math.inf)
        weights = torch.softmax(scores, dim=-1) * allowed
        weights = weights / weights.sum(dim=-1, keepdim=True)""",
        says="With is_causal the future's scores take part in your softmax, or at least in the maximum that "
        "it subtracts; only then do you zero the future's weights and normalise. On paper that is right, but "
        "a future score far above the allowed ones makes their exponentials underflow to 0, and 0 / 0 is "
        "NaN. Mask the scores with -inf first, before the maximum is taken.",
    ),
    Mistake(
        "dropout-of-the-class",
        find="        self.dropout = nn.Dropout(dropout)\n",
        replace="        type(self).probability = dropout\n",
        also=(("self.dropout(weights)", "nn.functional.dropout(weights, self.probability, self.training)"),),
        says="Your instances share the probability of dropout: it is stored on the class (or in a global "
        "variable), so the one made last decides for all. A model holds many layers, made with different "
        "arguments: store it on self.",
    ),
    ZERO_SCORES,
    replace(mask_mistakes.with_finite_fill(ZERO_SCORES), id=f"{ZERO_SCORES.id}-without-a-mask-too"),
    *(
        replace(ZERO_SCORES, id=f"{ZERO_SCORES.id}-{id}", find=MASKING, replace=filled)
        for id, filled in [
            ("with-any-mask", WITH_ANY_MASK.format("-math.inf")),
            ("with-finite-fill", WITH_ANY_MASK.format(FINITE)),
            ("with-finite-causal-fill", CAUSAL_THEN_PADDING.format(FINITE, "-math.inf")),
            ("with-finite-padding-fill", CAUSAL_THEN_PADDING.format("-math.inf", FINITE)),
        ]
    ),
    Mistake(
        "padding-times-infinity",
        find=MASKING,
        replace=f"""\
        if is_causal:
            scores = scores.masked_fill(~torch.ones_like(allowed).tril(), -math.inf)
        if padding_mask is not None:
            scores = scores * padding_mask[:, None, :]
{ZEROS_FILLED.format("-math.inf")}""",
        says="With both masks most rows are NaN: the scores of the future are -inf where you multiply by the "
        "padding mask, for example, and -inf * 0 is NaN. Do not multiply scores by a mask: join the masks by "
        "&, and fill with -inf once.",
    ),
    score_mistakes.scale_by_length("math.sqrt(hidden_size)", "seq"),
    *(
        Mistake(
            name,
            find="        if is_causal:",
            replace=f"        if {when}:",
            says=f"{where} your attention is causal whatever is_causal says. It alone decides that, and its "
            "default is False: every token then attends to all real tokens, the later ones too.",
        )
        for name, when, where in [
            ("causal-without-padding", "is_causal or padding_mask is None", "Without a padding_mask"),
            ("always-causal", "True", "With a padding_mask and without"),
        ]
    ),
    layout_mistakes.fused_transposed("", "self.o_proj(context)"),
    layout_mistakes.fused_transposed("input"),
    layout_mistakes.transposed("output", "self.o_proj(context)"),
    *floor_mistakes.after_softmax_renormalised("plus 1e-8", "plus 1e-6", masking=MASKING, mask="allowed"),
    unmasked_mistakes.max_not_subtracted(condition="padding_mask is None", without="padding"),
    unmasked_mistakes.no_gradient(condition="padding_mask is None", without="padding"),
]
