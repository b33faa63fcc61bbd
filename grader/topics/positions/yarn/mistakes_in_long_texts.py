"""Known wrong versions of `yarn` whose tables end before the positions do."""

from grader.kit import Mistake

ANGLES = "    angles = positions[:, None] * frequencies  # (seq, head_dim / 2)\n"
RETURNED = "    return angles.cos() * scale, angles.sin() * scale"
LENGTHS = (
    ("extended", "factor * original_len", "factor * original_len"),
    ("original", "original_len", "original_len, the length before it was extended"),
)
SAYS = "Positions up to 32767 are asked, whatever these are: a pair turns on at the same speed."

MISTAKES = [
    *(
        Mistake(
            f"positions-cut-at-the-{name}-length",
            find=ANGLES,
            replace=f"    positions = positions.clamp(max=math.ceil({length}) - 1)\n{ANGLES}",
            says=f"From {words} on your positions are no longer told apart: a table of so many rows, for "
            f"example, to whose last one they are clamped. {SAYS}",
        )
        for name, length, words in LENGTHS
    ),
    *(
        Mistake(
            f"table-of-the-{name}-length",
            find=ANGLES,
            replace=f"""\
    places = positions
    positions = torch.arange(math.ceil({length}), device=places.device)
{ANGLES}""",
            also=((RETURNED, "    return (angles.cos() * scale)[places], (angles.sin() * scale)[places]"),),
            says=f"You make a table up to {words}, and look the positions up in it: later ones raise. {SAYS}",
        )
        for name, length, words in LENGTHS
    ),
]
