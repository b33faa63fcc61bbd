"""Known wrong versions of the tables of `yarn`, and of what their arguments do."""

from grader.kit import Mistake

BOUNDS = "low, high = math.floor(fast), math.ceil(slow)"
HIGH_CUT = "min(math.ceil(slow), head_dim // 2 - 1)"
PLAIN = "    plain = linear_frequencies(head_dim, 1.0, base)\n"
LAYOUT = "angles = torch.cat((angles, angles), dim=-1)"
RETURNED = "return angles.cos() * scale, angles.sin() * scale"
ANGLES = "angles = positions[:, None] * frequencies"
FREQUENCIES = (
    "    frequencies = yarn_frequencies(head_dim, factor, original_len, base, ramp=ramp)"
    ".to(positions.device)\n"
)
EXPONENTS = "torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim"
UNKNOWN = '        raise ValueError(f"unknown ramp {ramp!r}")\n'

MISTAKES = [
    *(
        Mistake(
            f"high-cut-to-the-last-pair{kept_above}",
            find=BOUNDS,
            replace=f"low, high = math.floor(fast), {high}",
            says="You cut high to the last pair. It may lie beyond: the ramp then ends before it is all the "
            "way down, and yours is steeper.",
        )
        for kept_above, high in [
            ("", HIGH_CUT),
            ("-and-kept-above-low", f"max({HIGH_CUT}, math.floor(fast) + 1e-3)"),
        ]
    ),
    Mistake(
        "both-bounds-cut-to-the-last-pair",
        find=BOUNDS,
        replace=f"low, high = min(math.floor(fast), head_dim // 2 - 1), {HIGH_CUT}",
        says="You cut low and high to the last pair. high may lie beyond: the ramp then ends before it is "
        "all the way down. And where both do, yours divides 0 by 0.",
    ),
    Mistake(
        "high-cut-to-the-number-of-pairs",
        find=BOUNDS,
        replace="low, high = math.floor(fast), min(math.ceil(slow), head_dim // 2)",
        says="You cut high to head_dim / 2, the number of pairs. It may lie beyond: the ramp then ends "
        "before it is all the way down.",
    ),
    Mistake(
        "bounds-both-rounded-down",
        find=BOUNDS,
        replace="low, high = math.floor(fast), math.floor(slow)",
        says='With ramp "index" you round both bounds down. low is rounded down, high up.',
    ),
    Mistake(
        "bounds-rounded-to-the-nearest",
        find=BOUNDS,
        replace="low, high = round(fast), round(slow)",
        says='With ramp "index" you round both bounds to the nearest pair. They are rounded outwards: low '
        "down, high up.",
    ),
    Mistake(
        "bounds-rounded-inwards",
        find=BOUNDS,
        replace="low, high = math.ceil(fast), math.floor(slow)",
        says='With ramp "index" you round low up and high down. It is the other way round: low down, high '
        "up.",
    ),
    Mistake(
        "pairs-from-one",
        find="torch.arange(head_dim // 2, dtype=torch.float32) - low",
        replace="torch.arange(1, head_dim // 2 + 1, dtype=torch.float32) - low",
        says='With ramp "index" you count the pairs from 1. i is 0 … head_dim / 2 - 1.',
    ),
    Mistake(
        "rotations-of-the-extended-length",
        find="turns = original_len * plain",
        replace="turns = factor * original_len * plain",
        says='With ramp "rotations" you count the turns over the extended length, factor * original_len. '
        "They are those over the original one: the angles that the model has seen.",
    ),
    Mistake(
        "bounds-of-the-extended-length",
        find="math.log(original_len / ",
        replace="math.log(factor * original_len / ",
        says='With ramp "index" your bounds are those of the extended length, factor * original_len. They '
        "are those of the original one: the angles that the model has seen.",
    ),
    Mistake(
        "turns-over-beta-fast",
        find="(turns - beta_slow) / (beta_fast - beta_slow)",
        replace="turns / beta_fast",
        says='With ramp "rotations" your keep is r_i / beta_fast. It begins at beta_slow: '
        "(r_i - beta_slow) / (beta_fast - beta_slow).",
    ),
    Mistake(
        "betas-exchanged-in-the-index",
        find=BOUNDS,
        replace="low, high = math.floor(slow), math.ceil(fast)",
        says='With ramp "index" your ends are exchanged: low comes from beta_slow and high from beta_fast, '
        "so keep rises with the pair. A pair of many turns has a small index: low = floor(x(beta_fast)), "
        "high = ceil(x(beta_slow)).",
    ),
    Mistake(
        "betas-fixed",
        find=PLAIN,
        replace="    beta_fast, beta_slow = 32.0, 1.0\n" + PLAIN,
        says="Your ramps run from 32 turns to 1 whatever beta_fast and beta_slow are. These are only the "
        "defaults.",
    ),
    Mistake(
        "rotations-by-default",
        find='ramp: str = "index",\n) -> Float',
        replace='ramp: str = "rotations",\n) -> Float',
        says='The ramp of your yarn_frequencies is "rotations" where none is given. It is "index".',
    ),
    Mistake(
        "rotations-by-default-in-the-tables",
        find='ramp: str = "index",\n) -> tuple',
        replace='ramp: str = "rotations",\n) -> tuple',
        says='The ramp of your yarn_cos_sin is "rotations" where none is given. It is "index".',
    ),
    Mistake(
        "base-not-passed-on",
        find="original_len, base, ramp=ramp)",
        replace="original_len, ramp=ramp)",
        says="Your yarn_cos_sin ignores `base` and always takes 10000. Pass it on to yarn_frequencies.",
    ),
    Mistake(
        "ntk-of-a-fixed-base",
        find="    base = base * factor **",
        replace="    base = 10000.0 * factor **",
        says="Your ntk_frequencies multiplies 10000 whatever `base` is. That is only the default.",
    ),
    Mistake(
        "ntk-divided-by-factor-too",
        find="    return linear_frequencies(head_dim, 1.0, base)",
        replace="    return linear_frequencies(head_dim, factor, base)",
        says="Your ntk_frequencies changes the base and divides by factor as well. Changing the base is all: "
        "the last pair is then slowed by factor, the first not at all.",
    ),
    Mistake(
        "exponents-not-doubled",
        find=EXPONENTS,
        replace="torch.arange(head_dim // 2, dtype=torch.float32) / head_dim",
        says="Your theta_i is base^(-i / head_dim). The 2 is missing: base^(-2 i / head_dim).",
    ),
    Mistake(
        "exponents-up-to-one",
        find=EXPONENTS,
        replace="torch.arange(0, head_dim, 2, dtype=torch.float32) / (head_dim - 2)",
        says="Your exponents run up to 1, so the last pair has 1 / base. They are 2 i / head_dim, which ends "
        "before 1.",
    ),
    Mistake(
        "frequencies-in-float64",
        find=EXPONENTS,
        replace="torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim",
        says="Your frequencies are float64. Compute in it, if you like, but give float32.",
    ),
    Mistake(
        "frequencies-in-the-default-dtype",
        find=EXPONENTS,
        replace="torch.arange(0, head_dim, 2) / head_dim",
        says="Your frequencies have the default dtype, which may be another than float32. Say "
        "dtype=torch.float32.",
    ),
    *(
        Mistake(
            f"{name}-frequencies-in-the-default-dtype",
            find=f"return {given}",
            replace=f"return ({given}).to(torch.get_default_dtype())",
            says=f"Your {name}_frequencies gives the default dtype, which may be another than float32: that "
            "is what torch.tensor(numbers) and torch.arange make, for example. Say dtype=torch.float32.",
        )
        for name, given in [
            ("ntk", "linear_frequencies(head_dim, 1.0, base)"),
            ("yarn", "keep * plain + (1 - keep) * plain / factor"),
        ]
    ),
    Mistake(
        "positions-in-half-precision",
        find=ANGLES,
        replace="angles = positions[:, None].half() * frequencies",
        says="You turn the positions into float16 (or bfloat16), which has no whole numbers beyond 2048 "
        "(256) one by one: later positions become the same. Take float32.",
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
        "positions-counted",
        find=ANGLES,
        replace="angles = torch.arange(len(positions), device=positions.device)[:, None] * frequencies",
        says="You take the row's number for the position. The positions come in any order, with gaps: "
        "multiply by them.",
    ),
    Mistake(
        "temperature-in-the-angles",
        find=RETURNED,
        replace="return (angles * scale).cos(), (angles * scale).sin()",
        says="You multiply the angles by attention_factor, which turns every pair too far. Cosine and sine "
        "are multiplied by it, so that scores get larger.",
    ),
    Mistake(
        "temperature-of-the-cosine-alone",
        find=RETURNED,
        replace="return angles.cos() * scale, angles.sin()",
        says="You multiply the cosine by attention_factor, and not the sine. Both are.",
    ),
    Mistake(
        "sine-first",
        find=RETURNED,
        replace="return angles.sin() * scale, angles.cos() * scale",
        says="Your tables are (sin, cos). They are (cos, sin).",
    ),
    Mistake(
        "half-a-table",
        find=LAYOUT,
        replace="angles = torch.cat((angles,), dim=-1)",
        says="Your rows have each angle once, head_dim / 2 of them. They hold all of them and then the same "
        "again: head_dim.",
    ),
    Mistake(
        "tables-on-the-default-device",
        find=FREQUENCIES,
        replace=FREQUENCIES.replace(".to(positions.device)", ""),
        says="Something of your yarn_cos_sin stays on the default device (the frequencies, for example), "
        "where positions are on another one. Bring it to positions.device.",
    ),
    Mistake(
        "frequencies-remembered-by-head-dim",
        find=FREQUENCIES,
        replace="    if head_dim not in KEPT:\n"
        "        KEPT[head_dim] = yarn_frequencies(head_dim, factor, original_len, base, ramp=ramp)\n"
        "    frequencies = KEPT[head_dim].to(positions.device)\n",
        also=(("def yarn_cos_sin(", "KEPT: dict = {}\n\n\ndef yarn_cos_sin("),),
        says="You remember frequencies by head_dim, and give them again for another factor, length, base or "
        "ramp. Remember nothing, or by all that they depend on.",
    ),
    Mistake(
        "attention-factor-as-a-tensor",
        find="    return 0.1 * math.log(max(factor, 1.0)) + 1.0",
        replace="    return 0.1 * torch.tensor(max(factor, 1.0)).log() + 1.0",
        says="Your attention_factor is no Python number (but a tensor, for example). Take math.log.",
    ),
    Mistake(
        "another-ramp-looked-up",
        find=UNKNOWN,
        replace=UNKNOWN.replace("ValueError", "KeyError"),
        says="For another ramp you raise a KeyError (a dict is asked for it, for example). A ValueError is "
        "asked for.",
    ),
]
