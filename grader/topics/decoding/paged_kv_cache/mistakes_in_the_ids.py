"""Known wrong versions of `paged_kv_cache` that count ids for all caches together."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "ids-counted-for-all-caches",
        find="sequence, self._next_id = self._next_id, self._next_id + 1",
        replace="sequence, PagedKVCache._next_id = PagedKVCache._next_id, PagedKVCache._next_id + 1",
        also=(
            ("        self._next_id = 0\n", ""),
            ("    ref_counts: list[int]\n", "    ref_counts: list[int]\n    _next_id = 0\n"),
        ),
        says="Your counter of ids belongs to the class, and all caches count on with it. Each begins at 0: "
        "set it in the constructor.",
    ),
]
