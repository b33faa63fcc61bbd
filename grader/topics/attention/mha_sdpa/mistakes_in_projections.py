"""Known wrong versions of `mha_sdpa` whose projections lack biases, or use their weights transposed."""

from grader.kit.families.attention.mistakes import attention_mistakes, layout_mistakes

MISTAKES = [
    *attention_mistakes.some_biases_left_out("""\
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""),
    layout_mistakes.fused_transposed("", "self.o_proj(context)"),
    layout_mistakes.fused_transposed("input"),
    layout_mistakes.transposed("output", "self.o_proj(context)"),
]
