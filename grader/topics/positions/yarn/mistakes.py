"""Known wrong versions of `yarn`."""

from grader.kit import Mistake

MIX = "return keep * plain + (1 - keep) * plain / factor"
INDEX = "keep = 1 - ((torch.arange(head_dim // 2, dtype=torch.float32) - low) / (high - low)).clamp(0, 1)"
LAYOUT = "angles = torch.cat((angles, angles), dim=-1)"
RETURNED = "return angles.cos() * scale, angles.sin() * scale"

MISTAKES = [
    Mistake(
        "ramp-upside-down",
        find=MIX,
        replace="return keep * plain / factor + (1 - keep) * plain",
        says="Your yarn_frequencies divides the fast pairs by factor and leaves the slow ones. It is the "
        "other way round: fast pairs tell neighbours apart and have seen all angles, slow ones would "
        "meet new angles.",
    ),
    Mistake(
        "ramp-over-the-index-upside-down",
        find="keep = 1 - ((torch",
        replace="keep = ((torch",
        says='With ramp "index" your keep rises with the pair, from 0 to 1: the fast pairs are divided by '
        "factor, the slow ones are not. It falls: keep_i = 1 - clamp((i - low) / (high - low), 0, 1).",
    ),
    Mistake(
        "linear-times-factor",
        find="return base**-exponents / factor",
        replace="return base**-exponents * factor",
        says="Your linear_frequencies multiplies the frequencies by factor. To bring long texts back to the "
        "angles of training the pairs have to turn more slowly: divide.",
    ),
    Mistake(
        "yarn-times-factor",
        find=MIX,
        replace="return keep * plain + (1 - keep) * plain * factor",
        says="Your yarn_frequencies multiplies the slow pairs' frequencies by factor. They have to turn more "
        "slowly, theta_i / factor: factor times as many tokens then fill the angles of training.",
    ),
    Mistake(
        "positions-divided-too",
        find="angles = positions[:, None] * frequencies",
        replace="angles = positions[:, None] / factor * frequencies",
        says="Your yarn_cos_sin divides the positions by factor, and YaRN's frequencies are already divided "
        "where they should be. Multiply the frequencies by the positions as they are.",
    ),
    Mistake(
        "rotations-without-two-pi",
        find="turns = original_len * plain / (2 * math.pi)",
        replace="turns = original_len * plain",
        says='With ramp "rotations" you compare radians with beta_fast and beta_slow, which count whole '
        "turns. A turn is 2 pi: r_i = original_len * theta_i / (2 pi).",
    ),
    Mistake(
        "ramp-in-the-wavelength",
        find="keep = ((turns - beta_slow) / (beta_fast - beta_slow)).clamp(0, 1)",
        replace="keep = ((1 / turns - 1 / beta_slow) / (1 / beta_fast - 1 / beta_slow)).clamp(0, 1)",
        says='With ramp "rotations" your ramp is linear in the wavelength (one over the turns). It is linear '
        "in the turns themselves: (r_i - beta_slow) / (beta_fast - beta_slow), clamped.",
    ),
    Mistake(
        "rotations-not-clamped",
        find="keep = ((turns - beta_slow) / (beta_fast - beta_slow)).clamp(0, 1)",
        replace="keep = (turns - beta_slow) / (beta_fast - beta_slow)",
        says='With ramp "rotations" you do not clamp keep to [0, 1]: the fastest pairs, with hundreds of '
        "turns, get a multiple of their frequency, the slowest less than theta_i / factor.",
    ),
    Mistake(
        "index-not-clamped",
        find=INDEX,
        replace="keep = 1 - (torch.arange(head_dim // 2, dtype=torch.float32) - low) / (high - low)",
        says='With ramp "index" you do not clamp the ramp to [0, 1]: pairs below low are to keep theta_i, '
        "pairs beyond high to have theta_i / factor, and yours go past both.",
    ),
    Mistake(
        "bounds-not-rounded",
        find="low, high = math.floor(fast), math.ceil(slow)",
        replace="low, high = fast, slow",
        says='With ramp "index" you leave low and high between two pairs. They are rounded outwards, as in '
        "the released code: low = floor(x(beta_fast)), high = ceil(x(beta_slow)).",
    ),
    Mistake(
        "bounds-in-features",
        find="/ (2 * math.log(base))",
        replace="/ math.log(base)",
        says="Your low and high count features (0 … head_dim), but the ramp runs over pairs. The pair that "
        "makes beta turns is head_dim * ln(original_len / (2 pi beta)) / (2 ln(base)): the 2 is "
        "missing.",
    ),
    Mistake(
        "ramp-over-features",
        find=INDEX,
        replace=INDEX.replace("head_dim // 2", "0, head_dim, 2"),
        says='With ramp "index" you compare the features 0, 2, 4, … with low and high, which count pairs. '
        "The ramp runs over i = 0 … head_dim / 2 - 1.",
    ),
    Mistake(
        "periods-mixed",
        find=MIX,
        replace="return 1 / (keep / plain + (1 - keep) * factor / plain)",
        says="You mix the periods (wavelengths) of the two and turn the result round. Mix the frequencies: "
        "keep_i * theta_i + (1 - keep_i) * theta_i / factor.",
    ),
    Mistake(
        "extended-length",
        find="plain = linear_frequencies(head_dim, 1.0, base)",
        replace="plain, original_len = linear_frequencies(head_dim, 1.0, base), original_len * factor",
        says="Your ramp counts the turns over the extended length. What matters is which angles the model "
        "has seen in training, so count them over original_len, without the factor.",
    ),
    Mistake(
        "base-of-the-ramp-fixed",
        find="/ (2 * math.log(base))",
        replace="/ (2 * math.log(10000.0))",
        says="The bounds of your ramp over the index are those of base 10000, whatever `base` is. Which pair "
        "makes beta turns depends on the base: divide by 2 ln(base).",
    ),
    Mistake(
        "another-ramp-accepted",
        find="""\
    elif ramp == "index":
""",
        replace="    else:\n",
        also=(
            (
                """\
    else:
        raise ValueError(f"unknown ramp {ramp!r}")
""",
                "",
            ),
        ),
        says="You take a ramp that is neither word for one of the two. Raise ValueError for it: a misspelt "
        "one would run a model with wrong frequencies, unnoticed.",
    ),
    Mistake(
        "temperature-forgotten",
        find=RETURNED,
        replace="return angles.cos(), angles.sin()",
        says="Your tables lack the temperature. Cosine and sine are each multiplied by "
        "attention_factor(factor), so that scores over more keys get sharper.",
    ),
    Mistake(
        "temperature-under-a-root",
        find=RETURNED,
        replace="return angles.cos() * scale**0.5, angles.sin() * scale**0.5",
        says="You multiply the tables by the square root of attention_factor, so that it is in the scores "
        "once. Each table is multiplied by attention_factor itself, and scores get its square.",
    ),
    Mistake(
        "temperature-squared",
        find=RETURNED,
        replace="return angles.cos() * scale**2, angles.sin() * scale**2",
        says="You multiply the tables by the square of attention_factor. Query and key are both turned by "
        "them, so the scores get the square already: multiply each table once.",
    ),
    Mistake(
        "log10-for-ln",
        find="math.log(max(factor, 1.0))",
        replace="math.log10(max(factor, 1.0))",
        says="Your attention_factor takes the logarithm to base 10. It is the natural one: 0.1 ln(factor) + "
        "1.",
    ),
    Mistake(
        "factor-below-one",
        find="math.log(max(factor, 1.0))",
        replace="math.log(factor)",
        says="Your attention_factor is below 1 for a factor below 1. Where nothing is stretched there is no "
        "temperature: it is 1 for every factor of at most 1.",
    ),
    Mistake(
        "ntk-without-exponent",
        find="factor ** (head_dim / (head_dim - 2))",
        replace="factor",
        says="Your ntk_frequencies multiplies the base by factor itself, so the last pair is slowed by less "
        "than factor. Its exponent is (head_dim - 2) / head_dim: take factor^(head_dim / (head_dim - "
        "2)).",
    ),
    Mistake(
        "ntk-exponent-of-the-product",
        find="base * factor ** (head_dim / (head_dim - 2))",
        replace="(base * factor) ** (head_dim / (head_dim - 2))",
        says="Your ntk_frequencies raises base and factor together to the power, so that even with factor 1 "
        "they are not plain RoPE's. The exponent belongs to factor alone: base * factor^(head_dim / "
        "(head_dim - 2)).",
    ),
    Mistake(
        "ntk-exponent-inverted",
        find="factor ** (head_dim / (head_dim - 2))",
        replace="factor ** ((head_dim - 2) / head_dim)",
        says="The exponent of your ntk_frequencies is upside down. The last pair raises the base to "
        "(head_dim - 2) / head_dim, and that has to give factor: take factor^(head_dim / (head_dim - 2)).",
    ),
    Mistake(
        "ramp-not-passed-on",
        find="base, ramp=ramp).to(positions.device)",
        replace="base).to(positions.device)",
        says='Your yarn_cos_sin takes the ramp "index" whatever `ramp` is. Pass it on to yarn_frequencies.',
    ),
    Mistake(
        "table-interleaved",
        find=LAYOUT,
        replace="angles = angles.repeat_interleave(2, dim=-1)",
        says="Your tables repeat every angle at once (0 0 1 1 …), which suits interleaved pairs. Here the "
        "angles stand twice side by side (0 1 … 0 1 …), as in rope.",
    ),
    Mistake(
        "temperature-without-a-tenth",
        find="0.1 * math.log(",
        replace="math.log(",
        says="Your attention_factor is ln(factor) + 1. The logarithm counts a tenth: 0.1 ln(factor) + 1.",
    ),
]
