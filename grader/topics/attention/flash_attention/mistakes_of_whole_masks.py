"""Known wrong versions of `flash_attention` whose values are right, but with a mask of the whole sequence."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"whole-mask-made{name}",
        find="    results = []\n",
        replace=f"""\
    if {condition}:
        later = torch.ones({sizes}q_len, key.shape[2], dtype=torch.bool, device=query.device).triu(1)
    results = []
""",
        says=f"{you_make} a tensor of {words}q_len x kv_len elements: the causal mask of the whole sequence, "
        "for example, to cut tiles out of it. Make only the tile's part, from torch.arange of its rows and "
        "columns.",
    )
    # One for every head, whether causal or not, is as large as in whole-scores-made.
    for name, condition, you_make, sizes, words in (
        ("", "True", "You make", "", ""),
        ("-with-is-causal", "is_causal", "With is_causal you make", "", ""),
        (
            "-of-every-head-with-is-causal",
            "is_causal",
            "With is_causal you make",
            "batch, heads, ",
            "batch x heads x ",
        ),
    )
]
