"""Known wrong versions of `conv2d`."""

from grader.kit import Mistake

_WEIGHT = "    grouped_weight = weight.unflatten(0, (groups, out_channels // groups))"
_PADDED = (
    "    padded = functional.pad(x, (columns, columns, rows, rows))  # F.pad begins with the last dimension"
)
_COUNT = "    windows = (size - dilation * (kernel - 1) - 1) // stride + 1  # the last one must fit whole"
_WITHIN = "    within = dilation * torch.arange(kernel, device=device)"
_STARTS = "    starts = stride * torch.arange(windows, device=device)"
_SIZES = "    sizes = zip(padded.shape[2:], kernel, _pair(stride), _pair(dilation), strict=True)"
_ROWS = "    rows, columns = _pair(padding)"
_PAIR = "    return (size, size) if isinstance(size, int) else size"
_FLAT = "    output = output.flatten(1, 2)  # (batch, out_channels, out_height, out_width)"

MISTAKES = [
    Mistake(
        "kernel-flipped",
        find=_WEIGHT,
        replace="    grouped_weight = weight.flip(2, 3).unflatten(0, (groups, out_channels // groups))",
        says="You flip the kernel, as convolution in mathematics does. In deep learning it is a "
        "cross-correlation: weight[..., i, j] meets x[..., top + i, left + j].",
    ),
    Mistake(
        "kernel-transposed",
        find=_WEIGHT,
        replace="    weight = weight.mT.reshape(weight.shape)\n" + _WEIGHT,
        says="You read the kernel's numbers in another order (height and width swapped). weight[..., i, j] "
        "belongs to row i and column j of the window.",
    ),
    Mistake(
        "padding-in-the-order-of-f-pad",
        find="(columns, columns, rows, rows)",
        replace="(rows, rows, columns, columns)",
        says="You pad the width by the height's padding, and the other way round. F.pad begins with the "
        "last dimension: (left, right, top, bottom).",
    ),
    Mistake(
        "padding-in-the-order-of-f-pad-alone",
        find=_PADDED,
        replace="""\
    padded = functional.pad(x, (rows, rows, columns, columns))
    padded = functional.pad(padded, (0, 2 * (columns - rows), 0, 2 * (rows - columns)))""",
        says="You pad the width by the height's padding and the other way round, though the output's size "
        "is right. F.pad begins with the last dimension: (left, right, top, bottom).",
    ),
    Mistake(
        "padding-at-the-end-only",
        find=_PADDED,
        replace="    padded = functional.pad(x, (0, columns, 0, rows))",
        says="You pad on one side (right and bottom). padding zeros stand on each side, so that the output "
        "has 2 * padding more places to begin from.",
    ),
    Mistake(
        "padding-at-the-start-only",
        find=_PADDED,
        replace="    padded = functional.pad(x, (columns, 0, rows, 0))",
        says="You pad on one side (left and top). padding zeros stand on each side, so that the output has "
        "2 * padding more places to begin from.",
    ),
    Mistake(
        "padding-shared-by-both-sides",
        find=_PADDED,
        replace="""\
    left, top = columns // 2, rows // 2
    padded = functional.pad(x, (left, columns - left, top, rows - top))""",
        says="You put padding zeros on both sides together. It is as many on each side.",
    ),
    Mistake(
        "padding-ignored",
        find=_PADDED,
        replace="    padded = x",
        says="You ignore padding. It puts so many rows and columns of zeros on each side of x.",
    ),
    Mistake(
        "padding-with-edge-values",
        find="(columns, columns, rows, rows))",
        replace='(columns, columns, rows, rows), mode="replicate")',
        says="You pad with the values at the edge. Padding is by zeros.",
    ),
    Mistake(
        "padding-for-the-height-in-both",
        find=_ROWS,
        replace="    rows = columns = _pair(padding)[0]",
        says="You pad both directions by the first number of padding. A pair is (height, width).",
    ),
    Mistake(
        "dilation-in-the-size-only",
        find=_WITHIN,
        replace="    within = torch.arange(kernel, device=device)",
        says="Your output has the size that dilation gives it, but windows read neighbouring places. Place "
        "i of the kernel reads dilation * i places behind the window's start.",
    ),
    Mistake(
        "dilation-in-the-indices-only",
        find=_COUNT,
        replace="    windows = (size - kernel) // stride + 1",
        says="Your windows read places that are dilation apart, but the output's size does not know it: the "
        "last windows reach beyond x. A window covers dilation * (kernel - 1) + 1 places.",
    ),
    Mistake(
        "dilation-not-in-the-size",
        find=_COUNT,
        replace="    windows = (size - kernel) // stride + 1",
        also=(
            (
                "    return starts + within[:, None]  # (kernel, windows)",
                "    places = starts + within[:, None]\n"
                "    return torch.where(places < size, places, starts)",
            ),
        ),
        says="Your output's size does not know of dilation: the last windows reach beyond x. A window "
        "covers dilation * (kernel - 1) + 1 places, and so many fit.",
    ),
    Mistake(
        "dilation-times-the-kernel",
        find=_COUNT,
        replace="    windows = (size - dilation * kernel) // stride + 1",
        says="You take dilation * kernel for the places that a window covers. Between kernel places there "
        "are kernel - 1 gaps: dilation * (kernel - 1) + 1.",
    ),
    Mistake(
        "dilation-ignored",
        find=_SIZES,
        replace="    sizes = zip(padded.shape[2:], kernel, _pair(stride), (1, 1), strict=True)",
        says="You ignore dilation. It is the distance between neighbouring places that a window reads.",
    ),
    Mistake(
        "dilation-of-the-height-in-both",
        find="_pair(dilation)",
        replace="_pair(_pair(dilation)[0])",
        says="You take the first number of dilation for both directions. A pair is (height, width), and each "
        "direction has its own.",
    ),
    Mistake(
        "dilation-as-the-gap",
        find=_SIZES,
        replace="    wider = [each + 1 for each in _pair(dilation)]\n"
        "    sizes = zip(padded.shape[2:], kernel, _pair(stride), wider, strict=True)",
        says="You leave dilation places out between two that you read. It is their distance: dilation 1 "
        "reads neighbours.",
    ),
    Mistake(
        "stride-ignored",
        find=_SIZES,
        replace="    sizes = zip(padded.shape[2:], kernel, (1, 1), _pair(dilation), strict=True)",
        says="You ignore stride. Windows start stride places apart, so the output is smaller by about that "
        "factor.",
    ),
    Mistake(
        "stride-in-the-size-only",
        find=_STARTS,
        replace="    starts = torch.arange(windows, device=device)",
        says="Your output has the size that stride gives it, but its windows start at neighbouring places. "
        "Window n starts at place n * stride.",
    ),
    Mistake(
        "pairs-swapped",
        find=_PAIR,
        replace="    return (size, size) if isinstance(size, int) else size[::-1]",
        says="You take a pair as (width, height). stride, padding and dilation are (height, width), in the "
        "order of x's dimensions.",
    ),
    Mistake(
        "strides-swapped",
        find="_pair(stride)",
        replace="_pair(stride)[::-1]",
        says="You take stride as (width, height). It is (height, width).",
    ),
    Mistake(
        "pairs-by-their-first-number",
        find=_PAIR,
        replace="    return (size, size) if isinstance(size, int) else (size[0], size[0])",
        says="You take the first number of a pair for both directions. A pair is (height, width).",
    ),
    Mistake(
        "int-for-the-height-only",
        find=_PAIR,
        replace="    return size if isinstance(size, tuple) else (size, 1)",
        also=((_ROWS, "    rows, columns = _pair(padding) if isinstance(padding, tuple) else (padding, 0)"),),
        says="You take an int for the height only. stride, padding and dilation hold for both directions "
        "where they are an int.",
    ),
    Mistake(
        "size-rounded-up",
        find=_PADDED,
        replace="""\
    steps, gaps, more = _pair(stride), _pair(dilation), []
    for d in (1, 0):
        whole = x.shape[2 + d] + 2 * _pair(padding)[d] - gaps[d] * (kernel[d] - 1) - 1
        more += [0, -whole % steps[d]]
    padded = functional.pad(functional.pad(x, (columns, columns, rows, rows)), more)""",
        says="You round the output's size up where the stride leaves a remainder. It is rounded down: a "
        "window that does not fit whole is left out.",
    ),
    Mistake(
        "size-without-the-last-window",
        find=_COUNT,
        replace="    windows = max((size - dilation * (kernel - 1) - 1) // stride, 1)",
        says="Your output lacks the last window: of n places, n - kernel + 1 are starts, since the first "
        "one counts too.",
    ),
    Mistake(
        "starts-divided-by-the-stride",
        find=_COUNT,
        replace="    windows = (size - dilation * (kernel - 1)) // stride",
        says="You divide the number of all starts by the stride, and round down: where that leaves a "
        "remainder, the last window is lost, though it fits whole. The first start counts before the "
        "division: (size - window) // stride + 1.",
    ),
    Mistake(
        "result-on-the-default-device",
        find=", device=device)\n    within",
        replace=")\n    within",
        says="You make a tensor on the default device, which may be another one than that of x. Make it "
        "with device=x.device, or by x.new_zeros.",
    ),
    Mistake(
        "gradient-cut-at-the-weight",
        find=_WEIGHT,
        replace="    grouped_weight = weight.detach().unflatten(0, (groups, out_channels // groups))",
        says="No gradient reaches the weight, so it never learns: it is cut off from the graph (by detach, "
        ".data or .item()), for example.",
    ),
    Mistake(
        "gradient-cut-at-the-input",
        find=_PADDED,
        replace="    padded = functional.pad(x.detach(), (columns, columns, rows, rows))",
        says="No gradient reaches x, so what stands before this layer never learns: it is cut off from the "
        "graph (by detach, .data or a copy through NumPy), for example.",
    ),
    Mistake(
        "result-in-float32",
        find=_FLAT,
        replace="    output = output.flatten(1, 2).float()",
        says="Your result is float32 whatever came (torch.zeros without a dtype, say). It has the dtype of "
        "x: x.new_zeros, or dtype=x.dtype.",
    ),
]
