"""Known wrong versions of `mha_sdpa` in which some of the projections have no bias."""

from grader.kit.families.attention.mistakes import attention_mistakes

MISTAKES = [
    *attention_mistakes.some_biases_left_out("""\
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""),
]
