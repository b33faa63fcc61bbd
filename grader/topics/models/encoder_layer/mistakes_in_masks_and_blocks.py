"""Known wrong versions of `encoder_layer`: parts of the mask, and long sequences in blocks."""

from grader.kit.families.attention.mistakes import block_mistakes, sequence_mistakes
from grader.kit.families.models import mistakes_in_attention as shared

SOFTMAX = "        weights = torch.softmax(scores, dim=-1)\n"
CONTEXT = "F.dropout(weights, dropout_p) @ value"

MISTAKES = [
    *sequence_mistakes.taken_for_plain(shared.FUSED, seq="seq"),
    sequence_mistakes.nothing_hidden_from_itself(shared.FUSED, seq="seq"),
    *map(
        shared.written_out,
        block_mistakes.rest_left_out("seq", "key.shape[2]", with_one_at_least=(4, 8), product=CONTEXT),
    ),
    *map(shared.written_out, block_mistakes.first_block_hidden(SOFTMAX)),
]
