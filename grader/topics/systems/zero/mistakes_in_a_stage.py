"""Known wrong versions of `zero` in which one stage does what only another may do."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "all-reduce-in-stage-2",
        find="            averaged = self.collectives.reduce_scatter(local)",
        replace="""\
            if self.stage == 2:
                full = self.collectives.all_reduce(local)
                averaged = [self._shard(full[rank], rank).clone() for rank in range(self.world_size)]
            else:
                averaged = self.collectives.reduce_scatter(local)""",
        says="In stage 2 you all-reduce the gradients and cut out the rank's chunk, which sends twice as "
        "much for them as needed and holds the whole gradient in between. From stage 2 on, not from 3, "
        "reduce_scatter gives each rank the sum of its own chunk.",
    ),
    *(
        Mistake(
            f"gradients-kept-whole-in-stage-{stage}",
            find="local[rank] if self.stage == 1 else averaged[rank]",
            replace=f"local[rank] if self.stage in (1, {stage}) else averaged[rank]",
            says=f"In stage {stage} a rank holds a whole gradient after the step, all n elements. From stage "
            "2 on it holds n / world_size: its chunk of what reduce_scatter gave. The rest was for the other "
            "ranks, and is not kept.",
        )
        for stage in (2, 3)
    ),
]
