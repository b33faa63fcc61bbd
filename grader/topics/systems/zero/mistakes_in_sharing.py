"""Known wrong versions of `zero` whose ranks share memory, with each other or the caller, or keep it."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

UPDATED_IN_PLACE = (
    (
        'held["exp_avg"] = beta1 * held["exp_avg"] + (1 - beta1) * gradient',
        'held["exp_avg"].mul_(beta1).add_((1 - beta1) * gradient)',
    ),
    (
        'held["exp_avg_sq"] = beta2 * held["exp_avg_sq"] + (1 - beta2) * gradient.square()',
        'held["exp_avg_sq"].mul_(beta2).add_((1 - beta2) * gradient.square())',
    ),
)

MISTAKES = [
    Mistake(
        "steps-counted-for-all",
        find="    ranks: list[dict[str, Tensor]]\n",
        replace="    ranks: list[dict[str, Tensor]]\n    count = [0]\n",
        also=(
            (
                "        self.steps += 1\n",
                "        self.count[0] += 1\n        self.steps = self.count[0]\n",
            ),
        ),
        says="All optimizers count their steps together (a counter on the class, or a global one): the "
        "second begins where the first one is, and corrects its averages by too little. Count on self.",
    ),
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
    Mistake(
        "moments-are-views",
        find="            moments = full if stage == 0 else shard\n",
        replace="            begin = rank * len(shard)\n"
        "            mine = slice(None) if stage == 0 else slice(begin, begin + len(shard))\n",
        also=(
            ('"exp_avg": torch.zeros_like(moments)', '"exp_avg": torch.zeros_like(full)[mine]'),
            ('"exp_avg_sq": torch.zeros_like(moments)', '"exp_avg_sq": torch.zeros_like(full)[mine]'),
            *UPDATED_IN_PLACE,
        ),
        says="Your moments take as much memory as without sharding: the shards are views of whole vectors, "
        "for example, and are updated in place. A slice keeps its whole storage alive: make them in a "
        "shard's size, or clone() the slice.",
    ),
    Mistake(
        "parameter-shards-are-views",
        find="self._shard(full, rank).clone()  # a view would keep the whole vector",
        replace="self._shard(full, rank)",
        also=(
            (
                "return parameters - self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps)",
                "return parameters.sub_(self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps))",
            ),
        ),
        says="In stage 3 a rank's parameters take as much memory as all of them: the shard is a view of the "
        "whole vector, for example, and is updated in place. A slice keeps its whole storage alive: clone() "
        "it.",
    ),
    Mistake(
        "moments-shared-by-all-ranks",
        find="        self.ranks = []\n",
        replace="        self.ranks, made = [], {}\n",
        also=(
            (
                '"exp_avg": torch.zeros_like(moments)',
                '"exp_avg": made.setdefault(1, torch.zeros_like(moments))',
            ),
            (
                '"exp_avg_sq": torch.zeros_like(moments)',
                '"exp_avg_sq": made.setdefault(2, torch.zeros_like(moments))',
            ),
            *UPDATED_IN_PLACE,
        ),
        says="All your ranks hold the same tensors for Adam's two averages and update them in place, so they "
        "decay world_size times in a step, and each rank sees the gradients of those before it. Every rank "
        "has memory of its own: make new zeros for each.",
    ),
    Mistake(
        "both-moments-in-one-tensor",
        find="            moments = full if stage == 0 else shard\n",
        replace="            moments = torch.zeros_like(full if stage == 0 else shard)\n",
        also=(
            ('"exp_avg": torch.zeros_like(moments)', '"exp_avg": moments'),
            ('"exp_avg_sq": torch.zeros_like(moments)', '"exp_avg_sq": moments'),
            *UPDATED_IN_PLACE,
        ),
        says="Your exp_avg and exp_avg_sq are the same tensor, updated in place, so that gradients and their "
        "squares mix in it. Each needs zeros of its own.",
    ),
    Mistake(
        "one-shard-more-on-each-rank",
        find='"exp_avg_sq": torch.zeros_like(moments),\n',
        replace='"exp_avg_sq": torch.zeros_like(moments),\n                    "master": moments.clone(),\n',
        says="Each of your ranks keeps one more tensor of n / world_size elements: for example a copy of its "
        "part of the parameters that the step updates (as libraries keep one in float32 where the model has "
        "half precision). Here the four tensors in `ranks` are all that is kept: update the parameters that "
        "they hold.",
    ),
    instance_mistakes.kept_on_the_class(
        "        self.stage = stage\n        self.collectives = collectives\n        self.lr = lr\n"
        "        self.betas = betas\n        self.eps = eps\n",
        "stage, rate and the other options",
        kept="        type(self).stage = stage\n        type(self).collectives = collectives\n"
        "        type(self).lr = lr\n        type(self).betas = betas\n        type(self).eps = eps\n",
    ),
]
