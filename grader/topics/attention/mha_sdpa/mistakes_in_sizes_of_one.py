"""Known wrong versions of `mha_sdpa` for whom a size of 1 is no size."""

from grader.kit.families.attention.mistakes import lone_token_mistakes, squeezed_mistakes

MISTAKES = [
    squeezed_mistakes.result_squeezed("self.o_proj(context)"),
    *lone_token_mistakes.partly_projected("query, key, value = self.qkv_proj(x)"),
]
