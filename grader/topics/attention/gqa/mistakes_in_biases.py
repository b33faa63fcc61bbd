"""Known wrong versions of `gqa` in which some of the projections have no bias."""

from grader.kit.families.attention.mistakes import attention_mistakes

MISTAKES = [
    *attention_mistakes.some_biases_left_out("""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""),
]
