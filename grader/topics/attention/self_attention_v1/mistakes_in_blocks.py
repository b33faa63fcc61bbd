"""Known wrong versions of `self_attention_v1`: blocks of keys or queries, and batches cut into them."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import block_mistakes

QUERY = "        query = self.q_proj(x)\n"
SOFTMAX = "        weights = torch.softmax(scores, dim=-1)  # each query's weights sum to 1\n"

MISTAKES = [
    Mistake(
        "batch-and-sequence-flattened",
        find=QUERY,
        replace=f"        shape, x = x.shape, x.reshape(1, -1, x.shape[-1])\n{QUERY}",
        also=(("return weights @ value", "return (weights @ value).reshape(shape)"),),
        says="You make one long sequence of all tokens of the batch, so they attend to the other sequences "
        "too, and only a batch of one is right. Keep the batch as a dimension: query @ key.transpose(-2, "
        "-1) multiplies each sequence's matrices by themselves.",
    ),
    *block_mistakes.rest_left_out("x.shape[1]", "x.shape[1]"),
    *block_mistakes.not_rescaled(SOFTMAX, "x.shape[1]", largest=128),
    *block_mistakes.padding_counted("x.shape[1]", "query @ key.transpose(-2, -1)"),
]
