"""Known wrong versions of `nf4` that go through the weight column by column, as MATLAB and Fortran do."""

from grader.kit import Mistake

FLAT = "flat = weight.reshape(-1)"
FLAT_BY_COLUMNS = "flat = weight.permute(tuple(reversed(range(weight.dim())))).reshape(-1)"
SHAPED = "    return (levels[codes[:n].int()] * scales).view(shape)\n"
SHAPED_BY_COLUMNS = """\
    values = (levels[codes[:n].int()] * scales).view(tuple(shape)[::-1])
    return values.permute(tuple(reversed(range(values.dim())))).contiguous()
"""

MISTAKES = [
    Mistake(
        "columns-there-and-back",
        find=FLAT,
        replace=FLAT_BY_COLUMNS,
        also=((SHAPED, SHAPED_BY_COLUMNS),),
        says="You take the values column by column in both functions (the first index runs fastest, as "
        "in MATLAB and Fortran), so each undoes the other, but others read the codes in row-major order: "
        "the last index runs fastest, as reshape(-1) goes.",
    ),
    Mistake(
        "columns-on-the-way-back",
        find=SHAPED,
        replace=SHAPED_BY_COLUMNS,
        says="dequantize_nf4 fills the shape column by column (the first index runs fastest, as in "
        "MATLAB and Fortran). The values stand in row-major order, where the last index runs fastest: "
        "reshape(shape).",
    ),
]
