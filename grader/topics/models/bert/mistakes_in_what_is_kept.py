"""Known wrong versions of `bert` that keep something for the next call, or do not learn everywhere."""

from grader.kit.families import dropout_mistakes
from grader.kit.families.instance_mistakes import weights_kept
from grader.kit.families.models.mistakes import ONE_LAYER_ALONE

MISTAKES = [
    weights_kept("self.o_proj(context)"),
    *ONE_LAYER_ALONE,
    dropout_mistakes.without_gradients(
        *(f"self.dropout = nn.Dropout(dropout)\n\n    def forward(self, {x}:" for x in ("input_ids", "x"))
    ),
]
