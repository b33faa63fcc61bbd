"""Known wrong versions of `mla` that take what `q_b_proj` gives for two matrices, one behind the other."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"{name}-of-all-heads-first-in-the-query",
        find="""\
        query = self.q_b_proj(compressed).unflatten(-1, (self.num_heads, self.nope + self.rope))
        query_nope, query_rope = query.transpose(1, 2).split([self.nope, self.rope], dim=-1)
""",
        replace=f"""\
        parts = self.q_b_proj(compressed).split([self.num_heads * n for n in ({sizes})], dim=-1)
        {targets} = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts)
""",
        says=f"You cut the output of q_b_proj into the {order}, each of all heads, as the paper's "
        "formulas have two matrices. Here its features stand head after head, each [nope query | rope "
        "query]: cut it into heads first, and each head into its two parts.",
    )
    for name, sizes, targets, order in (
        ("nope", "self.nope, self.rope", "query_nope, query_rope", "nope queries and then the rope queries"),
        ("rope", "self.rope, self.nope", "query_rope, query_nope", "rope queries and then the nope queries"),
    )
]
