"""Known wrong versions of `mlp_torch` that go through the hidden units in blocks."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"bias-in-every-block-of-{size}",
            find="return self.fc2(hidden)",
            replace=f"return self.fc2(hidden) + (self.fc1.out_features - 1) // {size} * self.fc2.bias",
            says="You go through the hidden units in blocks and add fc2's bias in each of them, so it counts "
            "several times. Add it once, to the sum.",
        )
        for size in (8, 16, 32, 64, 128)
    ),
]
