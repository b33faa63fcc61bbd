"""Known wrong versions of `bert` that keep something for the next call, or do not run all layers."""

from grader.kit.families.instance_mistakes import weights_kept
from grader.kit.families.models.mistakes import ONE_LAYER_ALONE

MISTAKES = [
    weights_kept("self.o_proj(context)"),
    *ONE_LAYER_ALONE,
]
