"""Known wrong versions of `conv2d`: what is padded with what, stride and dilation exchanged."""

from grader.kit import Mistake

PADDED = "padded = functional.pad(x, (columns, columns, rows, rows))"

MISTAKES = [
    Mistake(
        "padding-mirrored",
        find=PADDED,
        replace=PADDED.replace("rows))", "rows), 'reflect')"),
        says="You pad with mirrored values of x. Here zeros stand on each side.",
    ),
    Mistake(
        "padding-from-the-other-side",
        find=PADDED,
        replace=PADDED.replace("rows))", "rows), 'circular')"),
        says="You pad with the values of the opposite side, as if x were a ring (F.pad with "
        '"circular", or a product of Fourier transforms, for example). Here zeros stand on each '
        "side.",
    ),
    Mistake(
        "padding-of-the-width-alone",
        find=PADDED,
        replace="padded = functional.pad(x, (columns, columns))",
        says="You pad the width alone. F.pad with two numbers pads the last dimension only; it takes "
        "four for width and height: (left, right, top, bottom).",
    ),
    Mistake(
        "padding-of-the-height-alone",
        find=PADDED,
        replace="padded = functional.pad(x, (0, 0, rows, rows))",
        says="You pad the height alone. Zeros stand on each side of both directions.",
    ),
    Mistake(
        "stride-and-dilation-exchanged",
        find="_pair(stride), _pair(dilation)",
        replace="_pair(dilation), _pair(stride)",
        says="You have stride and dilation exchanged. stride is the distance between windows, dilation "
        "that between neighbouring places of one window.",
    ),
]
