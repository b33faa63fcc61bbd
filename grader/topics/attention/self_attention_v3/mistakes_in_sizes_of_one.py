"""Known wrong versions of `self_attention_v3` for whom a size of 1 is no size."""

from grader.kit.families.attention.mistakes import lone_token_mistakes, squeezed_mistakes

MISTAKES = [
    squeezed_mistakes.expanded_squeezed(),
    squeezed_mistakes.result_squeezed("self.o_proj(context)"),
    *lone_token_mistakes.partly_projected("query, key, value = self.qkv_proj(x)"),
]
