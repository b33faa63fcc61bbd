"""Known wrong versions of what `conv2d` adds up, of its gradients, and of what it takes from another call."""

from grader.kit import Mistake

_WEIGHT = "    grouped_weight = weight.unflatten(0, (groups, out_channels // groups))"
_RETURN = "    return output if bias is None else output + bias[:, None, None]"
_READ = "    read_rows, read_columns = (_places_read(*direction, x.device) for direction in sizes)\n"
_WINDOWS = "    windows = padded[:, :, read_rows[:, None, :, None], read_columns[None, :, None, :]]\n"
_RAISES = "    if out_channels % groups or x.shape[1] != channels * groups:"
_PLACE_BY_PLACE = (
    (_WINDOWS, "    padded = padded.unflatten(1, (groups, channels))\n"),
    ("    windows = windows.unflatten(1, (groups, channels))\n", ""),
    (
        '    output = torch.einsum("bgckluv,gockl->bgouv", windows, grouped_weight)',
        """\
    output, (down, right), (high, wide) = 0, _pair(stride), _pair(dilation)
    for i, j in [(i, j) for i in range(kernel[0]) for j in range(kernel[1])]:
        patch = padded[..., i * high :: down, j * wide :: right]
        patch = patch[..., : read_rows.shape[1], : read_columns.shape[1]]
        output = output + torch.einsum("bgcuv,goc->bgouv", patch, grouped_weight[..., i, j])""",
    ),
)
"""The sum over the places of the kernel by a loop over them."""


def _returned(bias: str) -> str:
    return _RETURN.replace("bias[:, None, None]", f"{bias}[:, None, None]")


def _by_hand(loop: str) -> str:
    """What reads the windows, with a backward that runs over `loop` and assigns."""
    return f"""\
class _Windows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, padded, rows, columns):
        ctx.save_for_backward(padded, rows, columns)
        return padded[:, :, rows[:, None, :, None], columns[None, :, None, :]]

    @staticmethod
    def backward(ctx, grad):
        padded, rows, columns = ctx.saved_tensors
        grad_padded = torch.zeros_like(padded)
{loop}
        return grad_padded, None, None


def _pair("""


MISTAKES = [
    Mistake(
        "bias-for-each-row-of-the-kernel",
        find=_RETURN,
        replace=_returned("kernel[0] * bias"),
        says="You add the bias once for each row of the kernel (in the loop over them). It is added once.",
    ),
    Mistake(
        "bias-for-each-place-of-the-kernel",
        find=_RETURN,
        replace=_returned("kernel[0] * kernel[1] * bias"),
        says="You add the bias once for each place of the kernel (in the loop over them). It is added once.",
    ),
    Mistake(
        "bias-for-each-input-channel",
        find=_RETURN,
        replace=_returned("channels * bias"),
        says="You add the bias once for each channel that is read. It is added once to the sum over them.",
    ),
    Mistake(
        "bias-for-each-group",
        find=_RETURN,
        replace=_returned("groups * bias"),
        says="You add the whole bias once for each group. Each output channel gets its number once.",
    ),
    Mistake(
        "bias-twice",
        find=_RETURN,
        replace=_returned("2 * bias"),
        says="You add the bias twice. It is added once.",
    ),
    Mistake(
        "bias-of-the-first-group",
        find=_RETURN,
        replace=_returned("bias[: out_channels // groups].repeat(groups)"),
        says="All your groups add the bias of the first one. Group g has block g of it, as of the kernels.",
    ),
    Mistake(
        "mean-of-the-window",
        find=_RETURN,
        replace="    output = output / (kernel[0] * kernel[1])\n" + _RETURN,
        says="You divide by the number of places in the window. A convolution is the sum.",
    ),
    Mistake(
        "weight-viewed",
        find=_WEIGHT,
        replace="    flat = weight.view(groups, out_channels // groups, -1)\n"
        "    grouped_weight = flat.unflatten(2, (channels, *kernel))",
        says="You change a shape by view (you flatten the weight, for example), which raises for an argument "
        "of another layout (channels_last, a transposed one). Use reshape, or flatten.",
    ),
    Mistake(
        "gradient-of-x-without-dilation",
        find=_READ + _WINDOWS,
        replace=_READ
        + _WINDOWS.replace("padded[", "padded.detach()[")
        + """\
    read_rows, read_columns = (
        places - (gap - 1) * torch.arange(len(places), device=x.device)[:, None]
        for places, gap in zip((read_rows, read_columns), _pair(dilation), strict=True)
    )
    near = padded[:, :, read_rows[:, None, :, None], read_columns[None, :, None, :]]
    windows = windows + (near - near.detach())
""",
        says="Your values are right, but the gradient of x lands on neighbouring places where dilation is "
        "more than 1. It goes where the windows read: dilation * i places behind their start.",
    ),
    *(
        Mistake(
            f"gradients-overwritten{id}",
            find=_WINDOWS,
            replace="    windows = _Windows.apply(padded, read_rows, read_columns)\n",
            also=(("def _pair(", _by_hand(loop)),),
            says="Your values are right, but the gradient of x is not where windows overlap: a place that "
            "several of them read gets the gradient of one alone. For example, = overwrites what was there, "
            "and += at an index that names a place several times adds there only once. Sum all of them: "
            "index_put_(…, accumulate=True) does.",
        )
        for id, loop in (
            (
                "",
                """\
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                grad_padded[:, :, row[:, None], column] = grad[:, :, i, j]""",
            ),
            (
                "-window-by-window",
                """\
        for u, row in enumerate(rows.T):
            for v, column in enumerate(columns.T):
                grad_padded[:, :, row[:, None], column] = grad[..., u, v]""",
            ),
        )
    ),
    Mistake(
        "unchecked-without-groups",
        find=_RAISES,
        replace="    if groups > 1 and (out_channels % groups or x.shape[1] != channels * groups):",
        says="You ask whether the channels fit only where there are several groups. With one group, too, x "
        "has to have as many as the weight reads.",
    ),
    Mistake(
        "stride-of-the-height-in-both",
        find="_pair(stride)",
        replace="_pair(_pair(stride)[0])",
        says="You take the first number of stride for both directions. A pair is (height, width), and each "
        "direction has its own.",
    ),
    Mistake(
        "stride-of-the-width-in-both",
        find="_pair(stride)",
        replace="_pair(_pair(stride)[1])",
        says="You take the second number of stride for both directions. A pair is (height, width), and each "
        "direction has its own.",
    ),
    Mistake(
        "dilation-of-the-width-in-both",
        find="_pair(dilation)",
        replace="_pair(_pair(dilation)[1])",
        says="You take the second number of dilation for both directions. A pair is (height, width).",
    ),
    Mistake(
        "padding-for-the-width-in-both",
        find="    rows, columns = _pair(padding)",
        replace="    rows = columns = _pair(padding)[1]",
        says="You pad both directions by the second number of padding. A pair is (height, width).",
    ),
    Mistake(
        "dilations-swapped",
        find="_pair(dilation)",
        replace="_pair(dilation)[::-1]",
        says="You take dilation as (width, height). It is (height, width).",
    ),
    Mistake(
        "places-remembered-by-the-shapes",
        find=_READ,
        replace="    key = x.shape, weight.shape\n"
        "    if key not in KEPT:\n"
        "        KEPT[key] = [_places_read(*direction, x.device) for direction in sizes]\n"
        "    read_rows, read_columns = KEPT[key]\n",
        also=(("def conv2d(", "KEPT: dict = {}\n\n\ndef conv2d("),),
        says="You remember by the shapes which places windows read, and read the same ones with another "
        "stride, padding or dilation. Remember nothing, or by all that they depend on.",
    ),
    Mistake(
        "result-in-float64",
        find=_RETURN,
        replace="    output = output.double()\n" + _RETURN,
        says="Your result is float64 whatever came. It has the dtype of x.",
    ),
    *(
        Mistake(
            f"padded-in-float32{id}",
            find="    padded = functional.pad(x, (columns, columns, rows, rows))",
            replace="    padded = functional.pad(x.float(), (columns, columns, rows, rows))",
            also=also,
            says="Of x and the weight, one becomes float32 in your answer where both are float64 (what you "
            "copy x into is made by torch.zeros without a dtype, for example), so they do not fit together. "
            "Keep the dtype: dtype=x.dtype, x.new_zeros or F.pad.",
        )
        for id, also in (("", ()), ("-place-by-place", _PLACE_BY_PLACE))
    ),
    Mistake(
        "windows-from-the-end",
        find="    starts = stride * torch.arange(windows, device=device)",
        replace="    starts = stride * torch.arange(windows, device=device)\n"
        "    starts = starts + (size - dilation * (kernel - 1) - 1) % stride",
        says="Your windows end at the last place, and what is left over is at the start. They begin at the "
        "first place, and what is left over is at the end.",
    ),
]
