"""Known wrong versions of `latent_query_attention` for whom a size of 1 is no size."""

from grader.kit.families.attention.mistakes import lone_token_mistakes, squeezed_mistakes

MISTAKES = [
    *squeezed_mistakes.WITH_HEADS,
    squeezed_mistakes.result_squeezed("self.o_proj(merged)"),
    *lone_token_mistakes.partly_projected("query = self._split(self.q_proj(x))", "merged"),
]
