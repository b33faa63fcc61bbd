"""Known wrong versions of `layer_norm_backward` whose sums over the features are divided by another size."""

from grader.kit import Mistake

LAYER_X = "grad_x = rstd * (grad_normalized - along_ones - normalized * along_x)"
RMS_X = "grad_x = rstd * (grad_scaled - normalized * share_of_x)"
SIZES = (
    ("first-dimension", "len(x)", "the first size of x"),
    ("vectors", "(x.numel() // x.shape[-1])", "the number of vectors"),
    ("elements", "x.numel()", "the number of all elements"),
)


def divided(line: str, count: str) -> str:
    """The gradient of x, its means multiplied by what they were divided by, and divided by `count`."""
    for mean in ("along_ones", "along_x", "share_of_x"):
        line = line.replace(mean, f"{mean} * x.shape[-1] / {count}")
    return line


MISTAKES = [
    *(
        Mistake(
            f"{prefix}divided-by-the-{id}",
            find=line,
            replace=divided(line, count),
            says=f"In {name} you divide the sums over a vector's features by {words}. They are means over "
            "the features: divide by hidden, x.shape[-1].",
        )
        for prefix, name, line in (
            ("", "layer_norm_backward", LAYER_X),
            ("rms-", "rms_norm_backward", RMS_X),
        )
        for id, count, words in SIZES
    ),
    *(
        Mistake(
            f"divided-by-the-{id}-in-both",
            find=LAYER_X,
            replace=divided(LAYER_X, count),
            also=((RMS_X, divided(RMS_X, count)),),
            says=f"In both functions you divide the sums over a vector's features by {words}. They are means "
            "over the features: divide by hidden, x.shape[-1].",
        )
        for id, count, words in SIZES
    ),
]
