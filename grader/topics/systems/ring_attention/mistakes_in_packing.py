"""Known wrong versions of `ring_attention` that send keys and values in one tensor, or keep one maximum."""

from grader.kit import Mistake

FIRST = "    world_size, head_dim = ring.world_size, queries[0].shape[-1]\n"
WEIGHTS = "weights = torch.exp(scores - new_largest)"
OWN_LARGEST = (
    "torch.maximum(largest[rank], scores.amax(dim=-1, keepdim=True))",
    "scores.amax(dim=-1, keepdim=True) if step == 0 else largest[rank]",
)

MISTAKES = [
    *(
        Mistake(
            f"packed-{way}-along-the-{axis}",
            find=FIRST,
            replace=f"""\
{FIRST}\
    keys, values = list(keys), list(values)
    for rank, pair in enumerate(zip(keys, values)):
        packed = torch.{packed}
        keys[rank], values[rank] = packed.{unpacked}
""",
            says=f"Your keys and values are mixed along the {axis}: you join them in one tensor {how}, for "
            "example. Take apart what you join in the same way: torch.cat and chunk(2), or torch.stack and "
            "unbind, along one dim.",
        )
        for axis, dim, after in (("heads", 1, 2), ("tokens", 2, 3), ("features", 3, 4))
        for way, packed, unpacked, how in (
            (
                "side-by-side-unpacked-in-turns",
                f"cat(pair, dim={dim})",
                f"unflatten({dim}, (-1, 2)).unbind({after})",
                "one behind the other, and take it apart as if they alternated",
            ),
            (
                "in-turns-unpacked-side-by-side",
                f"stack(pair, dim={after}).flatten({dim}, {after})",
                f"chunk(2, dim={dim})",
                "in turns, and take it apart as if they were one behind the other",
            ),
        )
    ),
    *(
        Mistake(
            f"maximum-of-the-first-block-and-exponents-up-to-{bound}",
            find=OWN_LARGEST[0],
            replace=OWN_LARGEST[1],
            also=(
                (
                    WEIGHTS,
                    WEIGHTS.replace("scores - new_largest", f"(scores - new_largest).clamp(max={bound})"),
                ),
            ),
            says="You subtract the largest score of a rank's own block from those of all blocks, and "
            "clamp the difference, so that exp does not overflow. Scores of later blocks that are far "
            "above it all get the same weight. Raise the maximum with every block, and correct what was "
            "summed so far.",
        )
        for bound in (0, 1, 10)  # 20 to 80 come to the same as 10
    ),
]
