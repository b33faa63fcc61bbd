"""Known wrong versions of `attention_backward` that count blocks of keys by the queries, or the reverse."""

from grader.kit import Mistake

_K_LOOP = "    for k_start in range(0, kv_len, block_size):\n"
_Q_LOOP = "        for q_start in range(k_start if is_causal else 0, q_len, block_size):\n"
_ROWS = "rows = slice(q_start, min(q_start + block_size, q_len))"
_COLUMNS = "columns = slice(k_start, min(k_start + block_size, kv_len))"
_RIGHT = (
    "The two lengths differ in cross-attention: blocks of keys are counted by kv_len, "
    "blocks of queries by q_len."
)

MISTAKES = [
    Mistake(
        "key-blocks-counted-by-the-queries",
        find=_K_LOOP,
        replace="    for k_start in range(0, min(q_len, kv_len), block_size):\n",
        says="In flash_attention_backward there are as many blocks of keys as of queries, so where there are "
        f"more keys the last blocks are lost. {_RIGHT}",
    ),
    Mistake(
        "keys-beyond-the-number-of-queries-lost",
        find=_K_LOOP,
        replace=_K_LOOP.replace("kv_len", "min(q_len, kv_len)"),
        also=((_COLUMNS, _COLUMNS.replace("kv_len", "q_len, kv_len")),),
        says="In flash_attention_backward your keys end at the number of queries, so where there are more "
        f"keys the rest is lost. {_RIGHT}",
    ),
    Mistake(
        "query-blocks-counted-by-the-keys",
        find=_Q_LOOP,
        replace=_Q_LOOP.replace("q_len", "min(q_len, kv_len)"),
        says="In flash_attention_backward there are as many blocks of queries as of keys, so where there are "
        f"more queries the last blocks are lost. {_RIGHT}",
    ),
    Mistake(
        "queries-beyond-the-number-of-keys-lost",
        find=_Q_LOOP,
        replace=_Q_LOOP.replace("q_len", "min(q_len, kv_len)"),
        also=((_ROWS, _ROWS.replace("q_len", "q_len, kv_len")),),
        says="In flash_attention_backward your queries end at the number of keys, so where there are more "
        f"queries the rest is lost. {_RIGHT}",
    ),
]
