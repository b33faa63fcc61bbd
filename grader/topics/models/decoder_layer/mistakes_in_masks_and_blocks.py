"""Known wrong versions of `decoder_layer`: masks in part and left out, long sequences in blocks."""

from grader.kit import Mistake
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
    *(
        Mistake(
            f"masks-left-out-with-one-{id}",
            find="attn_mask=mask,",
            replace=f"attn_mask=None if {condition} else mask,",
            says=f"Where there is {words} you leave out the masks. {still}",
        )
        for id, condition, words, still in (
            (
                "query",
                "tgt == 1",
                "one query alone",
                "It has no future to hide, but memory_mask hides padding from it all the same.",
            ),
            ("sequence", "batch == 1", "one sequence alone", "It may have a causal mask, or padding, too."),
        )
    ),
    Mistake(
        "masks-of-heads-laid-out-by-heads",
        find="attn_mask=mask,",
        replace="""\
attn_mask=None
            if mask is None
            else mask
            if len(mask) > 1 or batch == 1
            else mask[0]
            .expand(self.num_heads, -1, -1)
            .repeat_interleave(batch, dim=0)
            .unflatten(0, (batch, -1)),""",
        says="A mask that is for all sequences, (1, num_heads, query, key), comes to other heads than its "
        "own: repeat_interleave gives each head's mask to neighbours, for example, where heads come sequence "
        "by sequence. Expand it to (batch, num_heads, query, key) first, or leave four dimensions.",
    ),
]
