"""Known wrong versions of `decoder_layer` that keep something for the next call."""

from grader.kit.families.instance_mistakes import IMPORT_TORCH, weights_kept

MISTAKES = [
    weights_kept("self.k_proj(source)", also=IMPORT_TORCH),
]
