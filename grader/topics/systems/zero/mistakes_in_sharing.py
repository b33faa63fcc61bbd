"""Known wrong versions of `zero` in what ranks keep."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "shards-are-views",
        find="            shard = self._shard(full, rank).clone()  # a view would keep the whole vector",
        replace="            shard = self._shard(full, rank)",
        says="Your shards are views of a whole vector (or of the caller's tensors), which therefore stays in "
        "memory with each of them: nothing is saved. A slice shares its storage; clone() it.",
    ),
]
