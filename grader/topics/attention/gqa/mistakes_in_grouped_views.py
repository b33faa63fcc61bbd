"""Known wrong versions of `gqa` that split the query heads in two dimensions the wrong way round."""

from grader.kit import Mistake

MISTAKES = [
    # Where all heads have one mask these are the values of "kv-heads-tiled".
    Mistake(
        "query-heads-grouped-the-wrong-way-round",
        find="""\
        key = key.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)
        value = value.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)""",
        replace="""\
        key = key.repeat(1, groups, 1, 1)
        value = value.repeat(1, groups, 1, 1)""",
        also=(
            (
                "scores = scores.masked_fill(~mask, -math.inf)",
                "mask = mask.expand(scores.shape).unflatten(1, (-1, groups)).transpose(1, 2).flatten(1, 2)\n"
                "            scores = scores.masked_fill(~mask, -math.inf)",
            ),
        ),
        says="You view the query heads as (groups, num_kv_heads): query head i reads key/value head "
        "i % num_kv_heads, and the mask, split as (num_kv_heads, groups), is that of another head. The heads "
        "of one group are neighbours: split the query heads as (num_kv_heads, groups) too, and join them so "
        "again.",
    ),
]
