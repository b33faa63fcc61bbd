"""Known wrong versions of `sinusoidal` whose later positions are off, more than float32 explains."""

from grader.kit import Mistake

ANGLES = "angles = positions * frequencies  # (seq_len, dim / 2)"

MISTAKES = [
    *(
        Mistake(
            f"turns-of-{name}",
            find=ANGLES,
            replace=f"angles = (positions.double() * frequencies.double()) % (2 * {pi})\n"
            "    angles = angles.to(frequencies.dtype)",
            says=says,
        )
        for name, pi, says in (
            (
                "3-14159",
                "3.14159",
                "Your first positions are right, but they get worse with the position: by more than 1e-5 "
                "below 128 and more than 1e-3 below 5000. Something in the angles has too few digits: for "
                "example a π of 3.14159, where whole turns are taken off them. Sine and cosine need no angle "
                "within one turn; if you take turns off, take those of math.pi.",
            ),
            *(
                (
                    pi.replace(".", "-"),
                    pi,
                    f"You take whole turns of 2 * {pi} off the angles, so that each turn adds its error. "
                    "Sine and cosine need no angle within one turn; if you take turns off, take those of "
                    "math.pi.",
                )
                for pi in ("3.14", "3.1415", "3.1416")
            ),
        )
    ),
    Mistake(
        "positions-rounded",
        find=ANGLES,
        replace=f"positions = positions.bfloat16().float()\n    {ANGLES}",
        says="Your positions below 128 are right, and later ones are off by more than 1e-3. Positions or "
        "angles have too few digits there: bfloat16 and float16, for example, do not hold all whole numbers "
        "above 256 and 2048. Compute in float32 at least.",
    ),
    Mistake(
        "table-of-a-fixed-length",
        find="torch.arange(seq_len).unsqueeze(1)",
        replace="torch.arange(min(seq_len, 2048)).unsqueeze(1)",
        says="Your table ends before 5000 rows (one of a fixed length, for example, of which you take the "
        "first seq_len): it is shorter than seq_len, and long sequences raise. Make as many rows as are "
        "asked for.",
    ),
    Mistake(
        "root-of-whole-numbers",
        find="math.sqrt(self.hidden_size)",
        replace="math.isqrt(self.hidden_size)",
        says="You round the root of hidden_size down to a whole number, by math.isqrt or int for example. "
        "The rows are multiplied by the root itself.",
    ),
]
