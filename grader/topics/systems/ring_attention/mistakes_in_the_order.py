"""Known wrong versions of `ring_attention`: what comes a step late, and tokens laid out otherwise."""

from grader.kit import Mistake

_SHIFT = """\
        if step < world_size - 1:  # nobody needs its own block back
            keys, values = ring.shift(keys), ring.shift(values)
"""
_SKIP = """\
            if is_causal and source > rank:
                continue  # they are all later than these queries
"""

MISTAKES = [
    *(
        Mistake(
            f"{late}-a-step-late",
            find=_SHIFT,
            replace=f"""\
        if step < world_size - 1:
            {early} = ring.shift({early})
        if step > 0:
            {late} = ring.shift({late})
""",
            says=f"Your {late} come a step later than the {early} (they are shifted behind the use of their "
            f"block, not before it, for example), so a block's {early} meet the {late} of the block before. "
            "Shift both at the same place.",
        )
        for early, late in (("keys", "values"), ("values", "keys"))
    ),
    # With the diagonal in every block it is own-rank-as-source.
    Mistake(
        "causal-as-if-tokens-were-dealt-out",
        find=_SKIP,
        replace="",
        also=(
            ("if is_causal and source == rank:", "if is_causal:"),
            (".triu(1)", ".triu(1 if source <= rank else 0)"),
        ),
        says="With is_causal you hide a triangle in every block and skip none, as if tokens were dealt out "
        "to the ranks in turn (as in striped attention). Here a rank has neighbouring tokens, r * block … "
        "(r + 1) * block - 1: blocks of earlier ranks count in full, those of later ones not at all.",
    ),
    *(
        Mistake(
            f"{id}-always-from-home",
            find=_SHIFT,
            replace=f"""\
        if step == 0:
            own_keys, own_values = keys, values
        if step < world_size - 1:
            keys, values = {shifted}
""",
            says=f"You shift your rank's own {what} in every step, and not {those} that have come: from the "
            f"second shift on it is still the neighbour's {what} that a rank gets. Hand on what came last.",
        )
        for id, shifted, what, those in (
            ("values", "ring.shift(keys), ring.shift(own_values)", "values", "those"),
            ("keys", "ring.shift(own_keys), ring.shift(values)", "keys", "those"),
            ("keys-and-values", "ring.shift(own_keys), ring.shift(own_values)", "keys and values", "those"),
        )
    ),
    *(
        Mistake(
            f"source-by-its-absolute-value{ending}",
            find="source = (rank - step) % world_size",
            replace="source = abs(rank - step)",
            also=also,
            says="You take abs(rank - step) for the rank whose block has come. Where rank - step is negative "
            "that is another one: count round the ring, (rank - step) % w.",
        )
        for ending, also in (
            ("", ()),
            (
                "-own-block-in-the-first-step",
                (("is_causal and source == rank:", "is_causal and step == 0:"),),
            ),
        )
    ),
]
