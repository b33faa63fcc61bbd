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
    *(
        Mistake(
            f"gradients-divided-in-place-in-stage-{stage}",
            find="self._padded(gradient) / self.world_size for",
            replace=f"(self._padded(gradient.div_(self.world_size)) if self.stage == {stage} "
            "else self._padded(gradient) / self.world_size) for",
            says=f"In stage {stage} you divide the caller's gradients in place. The arguments stay as they "
            "are: gradient / world_size makes a new tensor.",
        )
        for stage in (1, 2)
    ),
    Mistake(
        "gradients-of-the-step-before-overwritten",
        find='            held["gradients"] = local[rank] if self.stage == 1 else averaged[rank]\n',
        replace="""\
            if self.stage > 1 or self.steps == 1:
                held["gradients"] = gradients[rank] if self.stage < 2 else averaged[rank]
            else:
                held["gradients"].copy_(gradients[rank])
""",
        says="What a rank keeps as its gradients is the caller's own tensor, and the next step writes into "
        "it. The arguments stay as they are, later too: keep a copy, or bind the new gradients instead of "
        "writing.",
    ),
]
