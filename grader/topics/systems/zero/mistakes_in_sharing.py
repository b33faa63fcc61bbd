"""Known wrong versions of `zero` whose ranks share memory with each other or with the caller."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

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
    instance_mistakes.kept_on_the_class(
        "        self.stage = stage\n        self.collectives = collectives\n        self.lr = lr\n"
        "        self.betas = betas\n        self.eps = eps\n",
        "stage, rate and the other options",
        kept="        type(self).stage = stage\n        type(self).collectives = collectives\n"
        "        type(self).lr = lr\n        type(self).betas = betas\n        type(self).eps = eps\n",
    ),
]
