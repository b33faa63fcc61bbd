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
    Mistake(
        "positions-counted-on-from-the-first",
        find="    angles = positions[:, None] * frequencies  # (seq, head_dim / 2)",
        replace="    counted = positions[0] + torch.arange(len(positions), device=positions.device)\n"
        "    angles = counted[:, None] * frequencies",
        says="You take the first position and count on from it (as for new tokens behind a cache, for "
        "example). Positions come in any order, with gaps and repeated: multiply the frequencies by each as "
        "it stands there.",
    ),
    Mistake(
        "tables-in-the-default-dtype",
        find="torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device)",
        replace="torch.arange(0, head_dim, 2, device=positions.device)",
        says="Your tables have the default dtype: float64 after torch.set_default_dtype(torch.float64). They "
        "are float32 whatever that is: say dtype=torch.float32, or end with .float().",
    ),
    *(
        Mistake(
            f"positions-cut-at-{rows}",
            find="    angles = positions[:, None] * frequencies  # (seq, head_dim / 2)",
            replace=f"    angles = positions.clamp(max={rows - 1})[:, None] * frequencies",
            says=f"From {rows} on your positions are no longer told apart: a table of so many rows, for "
            "example, to whose last one they are clamped. They go up to 4095.",
        )
        for rows in (512, 1024, 2048)
    ),
]
