"""Known wrong versions of `mlp_torch` that keep something in the wrong place, or for the next call."""

from grader.kit.families.instance_mistakes import kept_on_the_class, weights_kept

LAST = "        self.fc2 = nn.Linear(hidden_size, output_size)\n"

MISTAKES = [
    weights_kept("self.fc1(x)"),
    kept_on_the_class(
        LAST,
        "a size (that of the output, say)",
        kept=f"{LAST}        type(self).output_size = output_size\n",
        also=(
            (
                "self.fc2(hidden)  # (..., output_size)",
                "self.fc2(hidden).reshape(*x.shape[:-1], type(self).output_size)",
            ),
        ),
    ),
]
