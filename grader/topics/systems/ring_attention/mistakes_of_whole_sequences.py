"""Known wrong versions of `ring_attention`: a mask of all tokens, numbers that are sent, a ring of one."""

from grader.kit import Mistake

START = (
    "    # For each query, of the blocks so far: (batch, heads, block, 1); and the output, not yet divided.\n"
)
SENT = "            keys, values = ring.shift(keys), ring.shift(values)\n"
OWNERS = "    owners = [torch.tensor([rank], device=query.device) for rank, query in enumerate(queries)]\n"

MISTAKES = [
    *(
        Mistake(
            f"whole-mask-made{name}",
            find=START,
            replace=f"""\
    if {condition}:
        tokens = world_size * queries[0].shape[2]
        later = torch.ones(tokens, tokens, dtype=torch.bool, device=queries[0].device).triu(1)
{START}""",
            says=f"{you_make} a mask of all tokens by all tokens, for example, and cut each block's part out "
            "of it: it grows with the square of the whole sequence. A rank needs a triangle for its own "
            "block alone; blocks of earlier ranks are seen in full.",
        )
        for name, condition, you_make in (
            ("", "True", "You make"),
            ("-with-is-causal", "is_causal", "With is_causal you make"),
        )
    ),
    Mistake(
        "owners-sent",
        find=START,
        replace=OWNERS + START,
        also=((SENT, f"{SENT}            owners = ring.shift(owners)\n"),),
        says="You send one element too many in each step: whose block it is, for example. A rank knows that "
        "without being told: after t shifts the block of rank (rank - t) % w is there.",
    ),
    Mistake(
        "causal-ignored-with-one-rank",
        find=START,
        replace=f"    is_causal = is_causal and world_size > 1\n{START}",
        says="With one rank you forget is_causal (in a shortcut for that case, for example). Nothing comes "
        "from others then, but a query still attends to no later token of its own block.",
    ),
]
