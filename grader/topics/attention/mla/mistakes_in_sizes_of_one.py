"""Known wrong versions of `mla` for whom a size of 1 is no size."""

from grader.kit.families.attention.mistakes import lone_token_mistakes, squeezed_mistakes

MISTAKES = [
    *squeezed_mistakes.WITH_HEADS,
    squeezed_mistakes.result_squeezed("self.o_proj(context)"),
    lone_token_mistakes.given_back(
        "query_nope, query_rope = self._query(x, cos, sin)",
        "o_proj of the token's value, which comes from its latent",
    ),
]
