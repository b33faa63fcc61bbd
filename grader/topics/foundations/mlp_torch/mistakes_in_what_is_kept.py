"""Known wrong versions of `mlp_torch` that keep something for the next call."""

from grader.kit.families.instance_mistakes import weights_kept

MISTAKES = [
    weights_kept("self.fc1(x)"),
]
