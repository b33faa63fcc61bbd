"""Known wrong versions of `rope`: tables that are kept, and the dtype that they give the results."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "tables-kept-from-other-positions-of-a-base",
        find="    return angles.cos(), angles.sin()",
        replace="""\
    kept = rope_cos_sin.__dict__.setdefault("kept", {})
    return kept.setdefault((len(positions), head_dim, base), (angles.cos(), angles.sin()))""",
        says="You keep the tables from one call to the next and look at the number of positions, head_dim "
        "and base only: other positions, as many of them, get the old ones. Make them anew, or from what "
        "positions holds.",
    ),
    Mistake(
        "results-in-the-dtype-of-the-tables",
        find="    return query, key\n",
        replace="    return query.to(cos.dtype), key.to(cos.dtype)\n",
        also=(
            (
                "torch.stack((turned_even, turned_odd), dim=-1).flatten(-2)",
                "torch.stack((turned_even, turned_odd), dim=-1).flatten(-2).to(cos.dtype)",
            ),
        ),
        says="apply_rope and apply_rope_interleaved give the dtype of the tables, float32, where query, key "
        "and x are float64. The results keep the dtype that came: .to(query.dtype), or do not convert.",
    ),
]
