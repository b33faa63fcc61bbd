"""Known wrong versions of `attention_backward` in lengths that are no whole blocks, and in sizes of 1."""

from grader.kit import Mistake

_K_LOOP = "    for k_start in range(0, kv_len, block_size):\n"
_Q_LOOP = "        for q_start in range(k_start if is_causal else 0, q_len, block_size):\n"
_WHOLE = "{} // block_size * block_size"
_K_WHOLE = _K_LOOP, _K_LOOP.replace("kv_len", _WHOLE.format("kv_len"))
_Q_WHOLE = _Q_LOOP, _Q_LOOP.replace("q_len", _WHOLE.format("q_len"))
_RIGHT = (
    "a last, shorter block is lost, and all of them where block_size is larger than the length. A range ends "
    "at the length itself, and a number of blocks is rounded up."
)
_STORED = "    return grad_scores @ key, grad_scores.transpose(-2, -1) @ query, grad_value\n"
_IN_BLOCKS = "    return grad_query, grad_key, grad_value\n"

MISTAKES = [
    *(
        Mistake(
            id,
            find=first[0],
            replace=first[1],
            also=more,
            says=f"In flash_attention_backward you take whole blocks of {what} alone: {_RIGHT}",
        )
        for id, what, first, more in (
            ("whole-key-blocks-only", "keys", _K_WHOLE, ()),
            ("whole-query-blocks-only", "queries", _Q_WHOLE, ()),
            ("whole-blocks-only", "queries and of keys", _K_WHOLE, (_Q_WHOLE,)),
        )
    ),
    *(
        Mistake(
            id,
            find=find,
            replace=find.replace("return ", "return tuple(each.squeeze() for each in (").rstrip() + "))\n",
            says=f"The gradients of {name} lose every dimension of size 1 (squeeze() without a dimension, "
            "for example). One text, one head or one feature is a size like any other: each gradient has the "
            "shape of what it belongs to.",
        )
        for id, name, find in (
            ("gradients-squeezed", "attention_backward", _STORED),
            ("block-gradients-squeezed", "flash_attention_backward", _IN_BLOCKS),
        )
    ),
]
