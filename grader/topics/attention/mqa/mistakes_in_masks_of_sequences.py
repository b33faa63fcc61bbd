"""Known wrong versions of `mqa`: masks of other sequences, and of other sizes."""

from grader.kit.families.attention.mistakes import score_mistakes, sequence_mistakes

FILL = "            scores = scores.masked_fill(~mask, -math.inf)"

MISTAKES = [
    *sequence_mistakes.of_the_first_sequence(),
    sequence_mistakes.square_taken_for_padding("batch", "seq", masking=FILL, indent=" " * 12),
    sequence_mistakes.flattened_batch_first(),
    sequence_mistakes.repeated_heads_first_where_heads_are_alike(),
    score_mistakes.softmax_over_queries_and_zeroed("(batch, num_heads, seq, seq)"),
    sequence_mistakes.keys_of_the_first_head(FILL),
    sequence_mistakes.all_of_it_inverted_in_place(),
]
