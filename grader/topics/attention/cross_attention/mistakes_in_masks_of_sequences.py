"""Known wrong versions of `cross_attention`: masks of other sequences, and of other sizes."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import score_mistakes, sequence_mistakes

FILL = "            scores = scores.masked_fill(~mask, -math.inf)"

MISTAKES = [
    *sequence_mistakes.of_the_first_sequence(),
    *sequence_mistakes.decided_by_the_first_sequence(),
    Mistake(
        "mask-read-as-if-contiguous",
        find=FILL,
        replace=f"""\
            if not mask.is_contiguous():
                steps = torch.empty(mask.shape, device="meta").stride()
                mask = mask.as_strided(mask.shape, steps)
{FILL}""",
        says="You read the mask with strides that follow from its shape, as if it were contiguous: of a mask "
        "that is transposed or sliced that is other places' numbers. Index it, or let it broadcast.",
    ),
    Mistake(
        "forbidden-scores-lowered-by-1e4",
        find=FILL,
        replace="            scores = scores.masked_fill(~mask, -1e4) + scores.masked_fill(mask, 0)",
        says="You lower forbidden scores by a large number (1e4, say), and one in the thousands still beats "
        "what is allowed. Put -inf in their place.",
    ),
    sequence_mistakes.square_taken_for_padding("batch", "src", masking=FILL, indent=" " * 12),
    sequence_mistakes.flattened_batch_first(),
    sequence_mistakes.repeated_heads_first_where_heads_are_alike(),
    score_mistakes.softmax_over_queries_and_zeroed("(batch, num_heads, tgt, src)"),
]
