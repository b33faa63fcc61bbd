"""Known wrong versions of `self_attention_v3`: masks of other sequences, and of other sizes."""

from grader.kit.families.attention.mistakes import score_mistakes, sequence_mistakes

FILL = "            scores = scores.masked_fill(~mask, -math.inf)"

MISTAKES = [
    *sequence_mistakes.of_the_first_sequence(queries=1),
    *sequence_mistakes.decided_by_the_first_sequence(),
    sequence_mistakes.square_taken_for_padding("x.shape[0]", "x.shape[1]", masking=FILL, indent=" " * 12),
    score_mistakes.softmax_over_queries_and_zeroed("(batch, seq, seq)"),
]
