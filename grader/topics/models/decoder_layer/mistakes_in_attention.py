"""Known wrong versions of `decoder_layer`: the attentions in it."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import attention_mistakes
from grader.kit.families.models import mistakes_in_attention as shared

LAYERS = """\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""
SPLIT = """\
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(source).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(source).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)"""


MISTAKES = [
    attention_mistakes.biases_left_out(LAYERS),
    *attention_mistakes.some_biases_left_out(LAYERS),
    attention_mistakes.value_from_key("source"),
    attention_mistakes.key_and_value_swapped("source"),
    attention_mistakes.heads_split_without_transpose(SPLIT, seq="length"),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT, seq="tgt"),
    *shared.sizes_of_heads_exchanged(SPLIT),
    attention_mistakes.heads_merged_without_transpose(seq="tgt"),
    attention_mistakes.heads_merged_interleaved(seq="tgt"),
    attention_mistakes.heads_split_and_merged_without_transpose(SPLIT, seq="tgt", tokens="length"),
    attention_mistakes.output_projection_forgotten(),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    shared.MASK_INVERTED,
    shared.MASK_INVERTED_WRITTEN_OUT,
    shared.MASK_INVERTED_WITH_FINITE_FILL,
    *shared.MASK_INVERTED_IN_PLACE,
    shared.MASK_OF_THE_FIRST_HEAD,
    *shared.MASK_OF_THE_FIRST_SEQUENCE,
    shared.MASK_LAID_OUT_BY_HEADS,
    shared.SCORES_LAID_OUT_BY_HEADS,
    shared.MASK_OF_THE_FIRST_HEAD_LAID_OUT_BY_HEADS,
    shared.WEIGHTS_DETACHED,
    shared.MASK_ADDED,
    shared.MASK_IGNORED,
    shared.SCALED_TWICE,
    shared.SCALE_MISSING,
    shared.SCALE_BY_HIDDEN_SIZE,
    shared.SCALE_BY_HEADS,
    shared.MASK_FILLS_ZERO,
    shared.MASK_AFTER_SOFTMAX,
    *shared.MASK_FILLS_WEIGHTS,
    shared.MASK_TIMES_MINUS_INFINITY,
    shared.SOFTMAX_OVER_QUERIES,
    shared.SCORE_OF_ZERO_ADDED,
    *shared.LARGE_SCORES,
    *shared.WITHOUT_A_MASK,
    Mistake(
        "keys-split-with-the-length-of-the-queries",
        find="        src = source.shape[1]",
        replace="        src = tgt",
        says="You split keys and values into heads with the length of x, which raises where memory has "
        "another. They have the length of what they come from: source.shape[1].",
    ),
    Mistake(
        "tensors-on-the-default-device",
        find="        # A function knows no evaluation mode",
        replace="""\
        if mask is not None:
            mask = torch.zeros(mask.shape, dtype=x.dtype).masked_fill(~mask, float("-inf"))
        # A function knows no evaluation mode""",
        also=(("import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"),),
        says="You make a tensor (a bias out of the mask, for example) on the default device, where it does "
        "not meet x if that is on another. Give it the device of x, device=x.device, or make it of x.",
    ),
]
