"""Known wrong versions of `self_attention_v4` in which projections have no bias."""

from grader.kit.families.attention.mistakes import attention_mistakes

LAYERS = """\
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""

MISTAKES = [
    attention_mistakes.biases_left_out(LAYERS),
    *attention_mistakes.some_biases_left_out(LAYERS),
]
