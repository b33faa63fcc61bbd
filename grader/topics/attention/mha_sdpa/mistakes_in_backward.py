"""Known wrong versions of `mha_sdpa` whose backward does not know what forward has dropped."""

from grader.kit import Mistake

_CALL = """\
        context = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal
        )"""
_WHOLE = """\
        whole = F.scaled_dot_product_attention(
            query, key, value.detach(), attn_mask=mask, is_causal=is_causal
        )"""

MISTAKES = [
    Mistake(
        "backward-forgets-the-dropout-mask",
        find=_CALL,
        replace=f"{_CALL.replace('query, key,', 'query.detach(), key.detach(),')}\n"
        f"{_WHOLE}\n        context = context + whole - whole.detach()",
        says="Your backward does not know what forward has dropped: it passes on gradients for attention "
        "weights that were set to 0, and does not divide those of the others by 1 - dropout. Call the "
        "built-in once, with dropout_p, and let autograd do it.",
    ),
]
