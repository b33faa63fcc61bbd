"""Known wrong versions of `attention_backward` that cut larger blocks of keys than they are asked for."""

from grader.kit import Mistake

_SIZES = "    q_len, kv_len, scale = query.shape[2], key.shape[2], 1 / math.sqrt(query.shape[-1])\n"
_Q_LOOP = "        for q_start in range(k_start if is_causal else 0, q_len, block_size):\n"
_ROWS = "            rows = slice(q_start, min(q_start + block_size, q_len))\n"

MISTAKES = [
    Mistake(
        "block-size-ignored-for-keys",
        find=_SIZES,
        replace=f"{_SIZES}    block_size = max(block_size, 64)\n",
        also=(
            (_Q_LOOP, "        for q_start in [k_start if is_causal else 0]:\n"),
            (_ROWS, "            rows = slice(q_start, q_len)\n"),
        ),
        says="Your blocks of keys have 64 rows whatever block_size says, or at least where it is smaller. It "
        "decides how much memory a block takes and how much is_causal can skip.",
    ),
]
