"""Known wrong versions of `focal_loss` that go through the rows in blocks, or backward on their own."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import right_once

MISTAKES = [
    *(
        Mistake(
            f"mean-of-the-means-of-blocks-of-{size}",
            find="losses.mean()",
            replace=f"torch.stack([block.mean() for block in losses.split({size})]).mean()",
            says=f"You take the mean of {size} rows at a time, and then the mean of these. A last block that "
            "is shorter counts as much as the others, and its rows too much. Add up the sums, and divide by "
            "the number of all rows.",
        )
        for size in (8, 16, 32, 64, 128, 256)
    ),
    *right_once("alpha_t * focus * loss"),
]
