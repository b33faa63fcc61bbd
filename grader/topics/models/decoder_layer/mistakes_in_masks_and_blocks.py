"""Known wrong versions of `decoder_layer`: parts of the mask, and long sequences in blocks."""

from grader.kit.families.attention.mistakes import block_mistakes, sequence_mistakes
from grader.kit.families.models import mistakes_in_attention as shared

SOFTMAX = "        weights = torch.softmax(scores, dim=-1)\n"
CONTEXT = "F.dropout(weights, dropout_p) @ value"

MISTAKES = [
    *sequence_mistakes.taken_for_plain(shared.FUSED, seq="tgt", keys="src"),
    sequence_mistakes.nothing_hidden_from_itself(
        "        if self.norm_first:\n            h = self.norm1(x)\n"
    ),
    *map(
        shared.written_out,
        block_mistakes.rest_left_out(
            "tgt", "key.shape[2]", blocks=(4, 8), with_one_at_least=(4, 8), product=CONTEXT
        ),
    ),
    *map(shared.written_out, block_mistakes.first_block_hidden(SOFTMAX, (2, 4, 8))),
]
