"""Known wrong versions of `flash_attention` that know whole blocks only, and a buffer for the result."""

from grader.kit import Mistake

BUFFER = (
    ("    results = []\n", "    buffer = torch.zeros_like(query)\n"),
    (
        "        results.append(output / denominator)\n    return torch.cat(results, dim=2)",
        "        buffer[:, :, q_start:q_end] = output / denominator\n    return buffer",
    ),
)
QUERIES = "for q_start in range(0, q_len, block_size):"
KEYS = "for k_start in range(0, kv_end, block_size):"

MISTAKES = [
    *(
        Mistake(
            f"last-query-block-left-at-zero{id}",
            find=QUERIES,
            replace=f"for q_start in range(0, {blocks} * block_size, block_size):",
            also=BUFFER,
            says="The rows of the queries that do not fill a whole block are zeros in your result: q_len // "
            f"block_size blocks end before them, for example{more}. Round the number of blocks up, and let "
            "the last one be shorter.",
        )
        for id, blocks, more in (
            ("", "(q_len // block_size)", ", and there is none at all where block_size is above q_len"),
            ("-unless-alone", "max(q_len // block_size, 1)", ""),
        )
    ),
    Mistake(
        "last-key-block-counted-with-another-size",
        find=KEYS,
        replace="for k_start in range(0, key_blocks * size if not is_causal else kv_end, size):",
        also=(
            (
                "    results = []\n",
                "    size = min(block_size, q_len)\n"
                "    key_blocks = key.shape[2] // size + (key.shape[2] % block_size % size > 0)\n"
                "    results = []\n",
            ),
            ("k_end = min(k_start + block_size, kv_end)", "k_end = min(k_start + size, kv_end)"),
        ),
        says="Your blocks are smaller than block_size where there are few queries, but their number is "
        "counted with block_size, so the last keys can be lost. Count with the size that they have.",
    ),
    Mistake(
        "last-key-block-dropped-and-a-single-one",
        find=KEYS,
        replace="for k_start in range(0, kv_end // block_size * block_size, block_size):",
        says="You visit full key blocks only, so the keys of a last, shorter block are lost, and where it is "
        "the only one the result is 0 / 0. Go on to the last key: a range ends at the length itself, and a "
        "number of blocks is rounded up.",
    ),
]
