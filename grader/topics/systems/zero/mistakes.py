"""Known wrong versions of `zero`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "remainder-dropped",
        find="math.ceil(self.numel / world_size)",
        replace="self.numel // world_size",
        says="You give each rank numel // world_size elements, so up to world_size - 1 parameters at the end "
        "belong to nobody and are lost. Round up, and pad the last shards.",
    ),
    Mistake(
        "gradients-summed",
        find="self._padded(gradient) / self.world_size for",
        replace="self._padded(gradient) for",
        says="You step with the sum of the ranks' gradients. Each rank's loss is a mean over its own batch, "
        "so the gradient of the whole batch is their average: divide by world_size, before or after the "
        "collective. (Adam hides most of it, because it divides by the gradient's size: only eps tells.)",
    ),
    Mistake(
        "every-rank-updates-all-moments",
        find="        self.stage = stage\n",
        replace="        self.stage = stage = 0 if stage == 1 else stage\n",
        says="In stage 1 each of your ranks keeps and updates all moments, which is stage 0. A rank holds "
        "the moments of its own chunk only, updates that chunk of the parameters, and the updated chunks are "
        "all-gathered.",
    ),
    Mistake(
        "gathered-parameters-kept",
        find="            parameters = self.collectives.all_gather(parameters)\n",
        replace="""\
            parameters = self.collectives.all_gather(parameters)
            for held, full in zip(self.ranks, parameters, strict=True):
                held["parameters"] = full
""",
        says="In stage 3 you keep the gathered parameters, so each rank holds all of them again and nothing "
        "is saved. full_parameters gives them out; what a rank holds stays its shard.",
    ),
    Mistake(
        "gathered-parameters-stored",
        find="            parameters = self.collectives.all_gather(parameters)\n",
        replace="            parameters = self.gathered = self.collectives.all_gather(parameters)\n",
        says="In stage 3 you store the gathered parameters beside the shards, so that their memory is not "
        "freed and nothing is saved. Give them out and forget them.",
    ),
    Mistake(
        "gathered-once",
        find="            parameters = self.collectives.all_gather(parameters)\n",
        replace="""\
            if not hasattr(self, "gathered"):
                self.gathered = self.collectives.all_gather(parameters)
            parameters = self.gathered
""",
        says="In stage 3 you gather the parameters once and keep them: that needs the memory which stage 3 "
        "saves, and after the next step they are old. Gather anew at each call of full_parameters.",
    ),
    Mistake(
        "shards-joined-without-all-gather",
        find="            parameters = self.collectives.all_gather(parameters)\n",
        replace="            parameters = [torch.cat(parameters) for _ in parameters]\n",
        says="In full_parameters you join the ranks' shards directly. A rank cannot see what another one "
        "holds: all_gather sends it.",
    ),
    Mistake(
        "updates-joined-without-all-gather",
        find="            updated = self.collectives.all_gather(updated)",
        replace="            updated = [torch.cat(updated) for _ in updated]",
        says="In step you join the updated chunks of all ranks directly. A rank cannot see what another one "
        "holds: in stages 1 and 2 all_gather sends it.",
    ),
    Mistake(
        "updates-not-gathered",
        find="            updated = self.collectives.all_gather(updated)",
        replace="""\
            for rank, (held, shard) in enumerate(zip(self.ranks, updated, strict=True)):
                updated[rank] = held["parameters"].clone()
                self._shard(updated[rank], rank).copy_(shard)""",
        says="In stages 1 and 2 each of your ranks updates its own chunk of the parameters and never hears "
        "of the other chunks, so the ranks drift apart. All-gather the updated chunks.",
    ),
    Mistake(
        "gathered-in-every-step",
        find="""\
        if self.stage in (1, 2):
            updated = self.collectives.all_gather(updated)""",
        replace="""\
        if self.stage == 3:
            full = self.collectives.all_gather(updated)
            updated = [self._shard(full[rank], rank).clone() for rank in range(self.world_size)]
        if self.stage in (1, 2):
            updated = self.collectives.all_gather(updated)""",
        says="In stage 3 your step all-gathers the parameters and throws most of them away. They are "
        "gathered when somebody computes with them, in full_parameters.",
    ),
    Mistake(
        "stage-3-keeps-all-parameters",
        find='"parameters": full if stage < 3 else shard',
        replace='"parameters": full',
        also=(
            (
                "        if self.stage == 3:\n            parameters =",
                "        if self.stage > 3:\n            parameters =",
            ),
            (
                "            if self.stage in (1, 2):\n                parameters = self._shard(",
                "            if self.stage >= 1:\n                parameters = self._shard(",
            ),
            (
                "        if self.stage in (1, 2):\n            updated",
                "        if self.stage >= 1:\n            updated",
            ),
        ),
        says="Your stage 3 gathers the parameters in every step and keeps them, like stage 2. In stage 3 a "
        "rank keeps its shard only: what all_gather gives is used in full_parameters and let go.",
    ),
    Mistake(
        "all-reduce-instead-of-reduce-scatter",
        find="""\
            averaged = self.collectives.reduce_scatter(local)  # (shard_size,) each""",
        replace="""\
            averaged = self.collectives.all_reduce(local)
            averaged = [self._shard(full, rank).clone() for rank, full in enumerate(averaged)]  # each""",
        says="In stage 3 (and 2, perhaps), where gradients are sharded, you all-reduce them and cut out the "
        "rank's chunk, which sends twice as much as needed and holds the whole gradient in between. "
        "reduce_scatter gives each rank the sum of its own chunk.",
    ),
    Mistake(
        "stage-2-all-reduces",
        find="        if self.stage == 0:\n",
        replace="        if self.stage in (0, 2):\n",
        also=(
            (
                "parameters, averaged[rank]))",
                "parameters, self._shard(averaged[rank], rank) if self.stage == 2 else averaged[rank]))",
            ),
        ),
        says="Your stage 2 all-reduces the gradients, and each rank holds the whole one. From stage 2 on "
        "reduce_scatter gives rank i chunk i of the sum, and that is all it holds: the rest serves nobody, "
        "because rank i updates chunk i only.",
    ),
    Mistake(
        "stage-1-cuts-gradients",
        find="local[rank] if self.stage == 1 else averaged[rank]",
        replace="averaged[rank]",
        says="Your stage 1 holds only a chunk of the gradients, as stage 2 does. In stage 1 the moments "
        "alone are cut: after a step each rank still holds a whole gradient, its own for example.",
    ),
    Mistake(
        "gradients-kept-whole",
        find="local[rank] if self.stage == 1 else averaged[rank]",
        replace="local[rank]",
        says="Each of your ranks keeps its whole local gradient. From stage 2 on it holds, after the "
        "reduce-scatter, its own chunk only.",
    ),
    Mistake(
        "ranks-step-on-their-own",
        find="            averaged = self.collectives.all_reduce(local)",
        replace="            averaged = [gradient * self.world_size for gradient in local]",
        says="In stage 0 each of your ranks steps with its own gradient, so the ranks drift apart. "
        "They need the average over all ranks: all_reduce.",
    ),
    Mistake(
        "averaged-without-collectives",
        find="            averaged = self.collectives.all_reduce(local)",
        replace="            averaged = [sum(local) for _ in local]",
        says="In stage 0 you add up the gradients of all ranks directly. A rank cannot see another one's "
        "gradient: all_reduce sends it.",
    ),
    Mistake(
        "chunks-averaged-without-collectives",
        find="            averaged = self.collectives.reduce_scatter(local)",
        replace="            averaged = [self._shard(sum(local), i).clone() for i in range(self.world_size)]",
        says="From stage 1 on you add up the gradients of all ranks directly. A rank cannot see another "
        "one's gradient: reduce_scatter sends it, and gives rank i chunk i of the sum.",
    ),
    Mistake(
        "one-tensor-for-all-ranks",
        find="""\
        for rank in range(world_size):
            full = self._padded(parameters)
""",
        replace="""\
        full = self._padded(parameters)
        for rank in range(world_size):
""",
        also=(
            (
                "return parameters - self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps)",
                "return parameters.sub_(self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps))",
            ),
        ),
        says="All your ranks hold the same tensor of parameters and update it in place, so in stage 0 each "
        "step is made world_size times. Every rank has memory of its own: give each a clone.",
    ),
    Mistake(
        "same-shard-for-all",
        find="full[rank * self.shard_size : (rank + 1) * self.shard_size]",
        replace="full[: self.shard_size]",
        says="All your ranks take the first chunk. Rank i has chunk i: the elements from i * shard_size on.",
    ),
    Mistake(
        "shards-interleaved",
        find="full[rank * self.shard_size : (rank + 1) * self.shard_size]",
        replace="full[rank :: self.world_size]",
        says="You deal the elements out in turn: rank i gets i, i + world_size, … The collectives cut and "
        "join contiguous chunks: rank i has the elements from i * shard_size to (i + 1) * shard_size - 1.",
    ),
    Mistake(
        "padding-returned",
        find="        return [full[: self.numel] for full in parameters]",
        replace="        return parameters",
        says="Your full parameters still have the padding at their end. It is there only to make equal "
        "shards: cut it off, full[:numel].",
    ),
    Mistake(
        "no-bias-correction",
        find="""\
        exp_avg = held["exp_avg"] / (1 - beta1**self.steps)
        exp_avg_sq = held["exp_avg_sq"] / (1 - beta2**self.steps)""",
        replace="""\
        exp_avg = held["exp_avg"]
        exp_avg_sq = held["exp_avg_sq"]""",
        says="You leave out Adam's bias correction. Both averages start at zero and are too small at first: "
        "divide them by 1 - beta**steps.",
    ),
    Mistake(
        "steps-counted-from-zero",
        find="        self.steps += 1\n",
        replace="",
        also=(
            (
                "        updated = []\n",
                "        updated, self.steps = [], self.steps + 1\n",
            ),
            ("1 - beta1**self.steps", "1 - beta1 ** (self.steps - 1)"),
            ("1 - beta2**self.steps", "1 - beta2 ** (self.steps - 1)"),
        ),
        says="Your bias correction counts the steps from 0, so the first one divides by 1 - beta**0 = 0: "
        "the parameters are NaN. Add to the count before you use it: the first step is step 1.",
    ),
    Mistake(
        "steps-counted-for-each-rank",
        find="        self.steps += 1\n",
        replace="",
        also=(
            (
                "            updated.append(",
                "            self.steps += 1\n            updated.append(",
            ),
        ),
        says="You count a step for each rank, so one call counts world_size steps and the bias correction "
        "is that of a later one. All ranks make the same step: count it once.",
    ),
    Mistake(
        "correction-of-the-first-step",
        find="        self.steps += 1",
        replace="        self.steps = 1",
        says="Your bias correction is always that of the first step, because the count of steps does not "
        "grow. Count every call of step.",
    ),
    Mistake(
        "eps-inside-the-root",
        find="(exp_avg_sq.sqrt() + self.eps)",
        replace="(exp_avg_sq + self.eps).sqrt()",
        says="You add eps inside the root. Adam adds it outside: exp_avg_sq.sqrt() + eps.",
    ),
    Mistake(
        "squared-average-of-the-average",
        find="(1 - beta2) * gradient.square()",
        replace='(1 - beta2) * held["exp_avg"].square()',
        says="exp_avg_sq averages the square of your running average. It averages the square of the "
        "gradient.",
    ),
    Mistake(
        "betas-swapped",
        find="        beta1, beta2 = self.betas",
        replace="        beta2, beta1 = self.betas",
        says="You swapped the betas: the first belongs to the average of the gradient, the second to that of "
        "its square.",
    ),
    Mistake(
        "gradients-divided-in-place",
        find="self._padded(gradient) / self.world_size for",
        replace="self._padded(gradient.div_(self.world_size)) for",
        says="You divide the caller's gradients in place. The arguments stay as they are: "
        "gradient / world_size makes a new tensor.",
    ),
    Mistake(
        "stage-unchecked",
        find="""\
        if stage not in (0, 1, 2, 3):
            raise ValueError(f"stage must be 0, 1, 2 or 3, not {stage}")
""",
        replace="",
        says="You accept any stage. Raise a ValueError for one outside 0 to 3 in the constructor, before it "
        "acts like another one by accident.",
    ),
]
