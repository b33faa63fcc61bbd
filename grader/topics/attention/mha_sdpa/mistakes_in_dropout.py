"""Known wrong versions of `mha_sdpa` that drop entries of the output."""

from grader.kit import Mistake

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
]
