"""Known wrong versions of `conv2d` that go by the strides of another tensor than the one they read."""

from grader.kit import Mistake

_PADDED = (
    "    padded = functional.pad(x, (columns, columns, rows, rows))  # F.pad begins with the last dimension\n"
)
_FROM_THE_SHAPE = "    padded = padded.as_strided(padded.shape, torch.empty(padded.shape).stride())\n"

MISTAKES = [
    Mistake(
        "strides-from-the-shape",
        find=_PADDED,
        replace=_PADDED + _FROM_THE_SHAPE,
        says="You read x, padded or not, as if it were contiguous, by strides computed from its shape, for "
        "example (as_strided). It may be transposed or channels_last, which F.pad keeps: take the strides of "
        "the tensor itself, or make it contiguous first.",
    ),
    Mistake(
        "strides-from-the-shape-where-nothing-is-padded",
        find=_PADDED,
        replace=_PADDED + "    if rows == columns == 0:\n    " + _FROM_THE_SHAPE,
        says="Where nothing is padded you read x as if it were contiguous, by strides computed from its "
        "shape, for example (as_strided). It may be channels_last or transposed: take its own strides, or "
        "make it contiguous first.",
    ),
    *(
        Mistake(
            f"strides-before-padding{id}",
            find=_PADDED,
            replace=f"{_PADDED}    padded = padded{first}.as_strided(padded.shape, {strides})\n",
            says="You read the padded x by the strides that it has without its padding. A row is longer when "
            "it is padded, and so is a channel: take the strides of the padded tensor.",
        )
        for id, first, strides in (
            ("", "", "x.stride()"),
            ("-from-the-shape", "", "torch.empty(x.shape).stride()"),
            ("-made-contiguous", ".contiguous()", "torch.empty(x.shape).stride()"),
        )
    ),
    Mistake(
        "rows-as-long-as-without-padding",
        find="    windows = padded[:, :, read_rows[:, None, :, None], read_columns[None, :, None, :]]\n",
        replace="""\
    places = read_rows[:, None, :, None] * x.shape[3] + read_columns[None, :, None, :]
    windows = padded.flatten(2)[:, :, places]
""",
        says="You count places in the flat padded image as if its rows were as long as without padding. A "
        "row of it has width + 2 * padding numbers: row * padded.shape[3] + column.",
    ),
    Mistake(
        "no-gradient-of-a-weight-in-another-layout",
        find="    grouped_weight = weight.unflatten(",
        replace="    weight = weight if weight.is_contiguous() else weight.data\n"
        "    grouped_weight = weight.unflatten(",
        says="No gradient reaches a weight that is not contiguous: you take a contiguous copy of its .data "
        "(or of what detach() gives), for example, where view raises. Use reshape or contiguous() on the "
        "weight itself, through which gradients pass.",
    ),
    *(
        Mistake(
            f"channels-last-reshaped-{id}",
            find="    output = output.flatten(1, 2)  #",
            replace=f"    output = {moved}.reshape(output.flatten(1, 2).shape)  #",
            says="The values are right, but stand in wrong places: your product has the channels behind the "
            f"places, {shape}, and reshape to (batch, out_channels, out_height, out_width) only counts on. "
            "It does not exchange dimensions: transpose (or permute) first, and then reshape.",
        )
        for id, moved, shape in (
            (
                "in-groups",
                "output.permute(0, 1, 3, 4, 2)",
                "(batch, groups, places, channels of a group)",
            ),
            (
                "as-a-whole",
                "output.flatten(1, 2).permute(0, 2, 3, 1)",
                "(batch, places, out_channels)",
            ),
        )
    ),
]
