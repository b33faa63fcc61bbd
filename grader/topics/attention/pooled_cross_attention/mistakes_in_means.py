"""Known wrong versions of `pooled_cross_attention` in which more, or less, is done to the means."""

from grader.kit import Mistake

POOLED = "        pooled = total / count.clamp(min=1).unsqueeze(-1)\n"
NORMALIZED = "F.layer_norm(pooled, (hidden_size,))"

MISTAKES = [
    *(
        Mistake(
            f"means-normalized{id}",
            find=POOLED,
            replace=f"{POOLED}        pooled = {normalized}\n",
            says=f"{where} your means go through a layer norm before keys and values are made of them, as in "
            "the Pyramid Vision Transformer. Here keys and values come from the means as they are.",
        )
        for id, normalized, where in (
            ("", NORMALIZED, "With every stride"),
            (
                "-with-a-stride-above-1",
                f"{NORMALIZED} if self.stride > 1 else pooled",
                "With a stride above 1",
            ),
        )
    ),
    *(
        Mistake(
            f"means-without-a-gradient{id}",
            find=POOLED,
            replace=f"{POOLED}        pooled = {detached}\n",
            says=f"{where} no gradient reaches context: the means are computed under torch.no_grad(), for "
            "example, or detached. Averaging has no parameters, but what is averaged does learn: leave it to "
            "autograd.",
        )
        for id, detached, where in (
            ("", "pooled.detach()", "With a padding_mask and without,"),
            ("-where-padded", "pooled if padding_mask.all() else pooled.detach()", "With padding"),
            ("-where-not-padded", "pooled.detach() if padding_mask.all() else pooled", "Without padding"),
        )
    ),
]
