"""Known wrong versions of `mha_sdpa` that drop what they should not, or nothing, or forget a mask there."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes

_CALL = "attn_mask=mask, dropout_p=dropout_p, is_causal"
_OUTPUT = "self.o_proj(context)"
_DROPPED = f"F.dropout({_OUTPUT}, dropout_p)"

MISTAKES = [
    Mistake(
        "no-dropout-with-a-mask-of-numbers",
        find="        if mask is not None:\n",
        replace="        is_number = mask is not None and mask.dtype != (mask == 0).dtype\n"
        "        if mask is not None:\n",
        also=(("if self.training else 0.0", "if self.training and not is_number else 0.0"),),
        says="With a mask of numbers you drop nothing in training: the call for it lacks dropout_p, for "
        "example. The dtype of a mask has nothing to do with dropout: turn it into booleans first, so that "
        "one call is enough for all.",
    ),
    *(
        Mistake(
            f"dropout-in-evaluation-{name}",
            find="if self.training else 0.0",
            replace=f"if self.training or {condition} else 0.0",
            says=f"{words} you drop weights in evaluation too. F.scaled_dot_product_attention is a function "
            "and knows no modes: every call of it needs self.dropout if self.training else 0.0 as dropout_p.",
        )
        for name, condition, words in (
            ("with-is-causal", "is_causal", "With is_causal"),
            ("with-a-mask", "mask is not None", "With a mask"),
            ("without-a-mask", "mask is None", "Without a mask"),
            ("without-a-mask-or-is-causal", "not (mask is not None or is_causal)", "Without a mask"),
        )
    ),
    *(
        Mistake(
            f"no-dropout-{name}",
            find="if self.training else 0.0",
            replace=f"if self.training and {condition} else 0.0",
            says=f"{words} you drop nothing in training: the call for it lacks dropout_p, for example. All "
            "calls of the built-in need the probability.",
        )
        for name, condition, words in (
            ("with-is-causal", "not is_causal", "With is_causal"),
            ("with-a-mask", "mask is None", "With a mask"),
            ("without-a-mask", "mask is not None", "Without a mask"),
            ("without-a-mask-or-is-causal", "(mask is not None or is_causal)", "Without a mask"),
        )
    ),
    Mistake(
        "dropout-on-the-output",
        find=_CALL,
        replace="attn_mask=mask, is_causal",
        also=((_OUTPUT, _DROPPED),),
        says="You drop entries of the output, as the block around the attention may do, and no attention "
        "weights. Those the built-in drops: pass it the probability as dropout_p.",
    ),
    Mistake(
        "dropout-on-the-output-too",
        find=_OUTPUT,
        replace=_DROPPED,
        says="You drop attention weights, which is right, and entries of the output as well. That second "
        "dropout is for the block around the attention: leave it out.",
    ),
    dropout_mistakes.mask_ignored_in_training("attn_mask=mask", "attn_mask=None if dropout_p else mask"),
    dropout_mistakes.mask_ignored_in_training(
        "is_causal=is_causal", "is_causal=is_causal and not dropout_p", mask="is_causal"
    ),
    dropout_mistakes.mask_ignored_in_training(
        "attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal",
        "attn_mask=None if dropout_p else mask, dropout_p=dropout_p, is_causal=is_causal and not dropout_p",
        mask="the masks",
    ),
    Mistake(
        "probability-of-keeping",
        find="self.dropout if self.training else 0.0",
        replace="1.0 - self.dropout if self.training else 0.0",
        says="In training you pass the built-in the probability of keeping a weight, 1 - dropout. Its "
        "dropout_p is the probability of dropping one: dropout itself.",
    ),
]
