"""Known wrong versions of `rope`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "table-interleaved",
        find="torch.cat((angles, angles), dim=-1)",
        replace="angles.repeat_interleave(2, dim=-1)",
        says="Your tables repeat every angle at once (0 0 1 1 …), which suits interleaved pairs. Here "
        "the angles stand twice side by side (0 1 … 0 1 …): columns i and i + head_dim / 2 are "
        "equal, because these features are a pair.",
    ),
    Mistake(
        "rotate-every-two",
        find="""\
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)""",
        replace="""\
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((-second, first), dim=-1).flatten(-2)""",
        says="Your rotate_half turns neighbouring features, (-x1, x0, -x3, x2 …), as GPT-J does. Here "
        "the halves are paired: the result is the negated second half, followed by the first "
        "half.",
    ),
    Mistake(
        "rotate-half-sign",
        find="torch.cat((-second, first), dim=-1)",
        replace="torch.cat((second, -first), dim=-1)",
        says="You turn the other way: rotate_half makes (second, -first), for example, or a matrix is "
        "transposed. (a, b) turned by t is (a cos t - b sin t, a sin t + b cos t), and rotate_half makes "
        "(-second, first).",
    ),
    Mistake(
        "rotate-half-sign-missing",
        find="torch.cat((-second, first), dim=-1)",
        replace="torch.cat((second, first), dim=-1)",
        says="Your rotate_half only swaps the halves. It has to negate the second one, (-second, "
        "first): otherwise it is a reflection, lengths change, and scores depend on absolute "
        "positions.",
    ),
    Mistake(
        "rotate-half-interleaved",
        find="""\
x.chunk(2, dim=-1)
    return""",
        replace="""\
x[..., 0::2], x[..., 1::2]
    return""",
        says="Your rotate_half takes the even and the odd features for the two halves. The first half "
        "is x[..., : head_dim // 2], the second the rest: feature i is paired with feature i + "
        "head_dim / 2.",
    ),
    Mistake(
        "exponent-not-doubled",
        find="torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device)",
        replace="torch.arange(head_dim // 2, dtype=torch.float32, device=positions.device)",
        says="Your exponent is i / head_dim, so the frequencies fall only to base^(-1/2). It is 2 i / "
        "head_dim for pair i: arange(0, head_dim, 2) / head_dim.",
    ),
    Mistake(
        "exponent-doubled-twice",
        find="""\
 / head_dim
    frequencies""",
        replace="""\
 / (head_dim // 2)
    frequencies""",
        says="Your exponent is 2 i / (head_dim / 2), twice too large, so the frequencies fall to "
        "nearly base^(-2). It is 2 i / head_dim for pair i: divide by head_dim if you already "
        "count in steps of two.",
    ),
    Mistake(
        "frequencies-rise",
        find="base**-exponents",
        replace="base**exponents",
        says="Your frequencies rise from 1 to base: the sign of the exponent is missing. Pair i turns "
        "by base^(-2 i / head_dim) per position, from 1 for the first pair down to nearly 1 / "
        "base.",
    ),
    Mistake(
        "base-ignored",
        find="base**-exponents",
        replace="10000.0**-exponents",
        says="You ignore `base` and always use 10000. Models for long contexts use a larger one (Llama "
        "3: 500000), so take the argument.",
    ),
    Mistake(
        "positions-ignored",
        find="    angles = positions[:, None] * frequencies  # (seq, head_dim / 2)",
        replace="    angles = torch.arange(len(positions), device=positions.device)[:, None] * frequencies",
        says="You use 0, 1, 2, … instead of the positions that you are given. While decoding with a "
        "cache the first new token is not at 0, so multiply the frequencies by `positions`.",
    ),
    Mistake(
        "positions-in-bfloat16",
        find="    angles = positions[:, None] * frequencies",
        replace="    angles = positions[:, None].bfloat16() * frequencies",
        says="You round the positions to bfloat16, which has 8 significant bits: from 257 on, "
        "neighbouring positions get the same angle. Keep positions and angles in float32, "
        "whatever the dtype of the model.",
    ),
    Mistake(
        "cos-and-sin-swapped",
        find="    return angles.cos(), angles.sin()",
        replace="    return angles.sin(), angles.cos()",
        says="You return (sin, cos). The order is (cos, sin): at position 0 the first table is all "
        "ones, and nothing turns.",
    ),
    Mistake(
        "key-not-turned",
        find="    key = key * cos + rotate_half(key) * sin",
        replace="",
        says="You turn the query only, so the scores depend on the query's absolute position. Turn the "
        "key in the same way: only the difference of the two angles is then left in the score.",
    ),
    Mistake(
        "key-turned-backwards",
        find="    key = key * cos + rotate_half(key) * sin",
        replace="    key = key * cos - rotate_half(key) * sin",
        says="You turn the key backwards, so the score depends on the sum of the positions. Turn it in "
        "the same direction as the query: the dot product already takes the difference of the two "
        "angles.",
    ),
    Mistake(
        "query-and-key-split-in-the-middle",
        find="""\
    query = query * cos + rotate_half(query) * sin
    key = key * cos + rotate_half(key) * sin
    return query, key""",
        replace="""\
    both = torch.cat((query, key), dim=1)
    both = both * cos + rotate_half(both) * sin
    query, key = both.chunk(2, dim=1)
    return query, key""",
        says="You turn query and key together and split them into two halves, so that where they have "
        "different numbers of heads some go to the wrong one. Split at query.shape[1], or turn each on its "
        "own.",
    ),
    Mistake(
        "query-and-key-stacked",
        find="""\
    query = query * cos + rotate_half(query) * sin
    key = key * cos + rotate_half(key) * sin
    return query, key""",
        replace="""\
    both = torch.stack((query, key))
    query, key = both * cos + rotate_half(both) * sin
    return query, key""",
        says="You stack query and key, which raises where they have different numbers of heads. Turn each "
        "on its own.",
    ),
    Mistake(
        "apply-rope-turns-neighbours",
        find="""\
    query = query * cos + rotate_half(query) * sin
    key = key * cos + rotate_half(key) * sin
    return query, key""",
        replace="""\
    return apply_rope_interleaved(query, cos, sin), apply_rope_interleaved(key, cos, sin)""",
        says="Your apply_rope turns neighbouring features, 2 i and 2 i + 1, which is what "
        "apply_rope_interleaved is for. Here the halves are paired, feature i with i + head_dim / 2: "
        "x * cos + rotate_half(x) * sin.",
    ),
    Mistake(
        "result-in-float32",
        find="    query = query * cos + rotate_half(query) * sin",
        replace="""\
    query, key = query.float(), key.float()
    query = query * cos + rotate_half(query) * sin""",
        says="You work in float32 and leave the result there. Bring it back to the dtype that came "
        "(.to(query.dtype)), or do not convert: float64 times a float32 table is float64.",
    ),
    Mistake(
        "interleaved-result-in-halves",
        find="torch.stack((turned_even, turned_odd), dim=-1).flatten(-2)",
        replace="torch.cat((turned_even, turned_odd), dim=-1)",
        says="apply_rope_interleaved puts all even features before all odd ones. Every feature stays "
        "in its place, so alternate them: stack along a new last dimension and flatten it.",
    ),
    Mistake(
        "interleaved-with-alternate-columns",
        find="    cos, sin = cos.chunk(2, dim=-1)[0], sin.chunk(2, dim=-1)[0]",
        replace="    cos, sin = cos[..., 0::2], sin[..., 0::2]",
        says="apply_rope_interleaved takes every second column of the tables. They hold all angles "
        "once and then again, so the angle of pair i is in column i: take the first half of the "
        "columns.",
    ),
    Mistake(
        "interleaved-with-the-tables-as-they-are",
        find="""\
    turned_even = even * cos - odd * sin
    turned_odd = even * sin + odd * cos
    return torch.stack((turned_even, turned_odd), dim=-1).flatten(-2)  # (batch, num_heads, seq, head_dim)""",
        replace="    return x * cos + torch.stack((-odd, even), dim=-1).flatten(-2) * sin",
        also=(
            (
                "    cos, sin = cos.chunk(2, dim=-1)[0], sin.chunk(2, dim=-1)[0]  # (seq, head_dim / 2)\n",
                "",
            ),
        ),
        says="apply_rope_interleaved multiplies feature j by column j of the tables, so the two features of "
        "a pair get different angles. The angle of pair i is in column i, and features 2 i and 2 i + 1 both "
        "need it: cos[..., : head_dim // 2].repeat_interleave(2, dim=-1), for example.",
    ),
    Mistake(
        "interleaved-turns-backwards",
        find="""\
    turned_even = even * cos - odd * sin
    turned_odd = even * sin + odd * cos""",
        replace="""\
    turned_even = even * cos + odd * sin
    turned_odd = odd * cos - even * sin""",
        says="apply_rope_interleaved turns the pairs backwards. Pair (a, b) turned by t is (a cos t - "
        "b sin t, a sin t + b cos t), as in apply_rope.",
    ),
    *(
        Mistake(
            name,
            find="torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device) / head_dim",
            replace=exponents,
            says="Your exponents run from 0 to 1 inclusive, i / (head_dim / 2 - 1). For pair i it is 2 i / "
            "head_dim, so the last pair stops one step short of 1: arange(0, head_dim, 2) / head_dim.",
        )
        for name, exponents in {
            "exponents-reach-one": "torch.linspace(0, 1, head_dim // 2)",
            "exponents-reach-one-by-division": "torch.arange(head_dim // 2) / (head_dim // 2 - 1)",
        }.items()
    ),
    Mistake(
        "default-base",
        find="base: float = 10000.0",
        replace="base: float = 1000.0",
        says="Your default base is 1000. It is 10000.",
    ),
    Mistake(
        "tables-kept-from-other-positions",
        find="    return angles.cos(), angles.sin()",
        replace="""\
    kept = rope_cos_sin.__dict__.setdefault("kept", {})
    return kept.setdefault((len(positions), head_dim), (angles.cos(), angles.sin()))""",
        says="You keep the tables, or the frequencies, from one call to the next without looking at all that "
        "they depend on: another base or other positions, for example, get the old ones. Make them anew, "
        "or keep them by everything that they are made from.",
    ),
    Mistake(
        "tables-in-float64",
        find="dtype=torch.float32, device=positions.device) / head_dim",
        replace="dtype=torch.float64, device=positions.device) / head_dim",
        says="Your tables are float64. You may compute the angles so, but the tables are float32.",
    ),
]
