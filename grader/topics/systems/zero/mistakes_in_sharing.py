"""Known wrong versions of `zero` whose ranks share memory with each other or with the caller."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "shards-are-views",
        find="self._shard(full, rank).clone()  # a view would keep the whole vector",
        replace="self._shard(parameters if parameters.numel() == full.numel() else full, rank)",
        also=(
            (
                "return parameters - self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps)",
                "return parameters.sub_(self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps))",
            ),
        ),
        says="Your shards are views of the caller's tensor, and you update them in place: a step changes "
        "what the caller holds, and the whole vector stays in memory with every shard. A slice shares its "
        "storage: clone() it.",
    ),
]
