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
    *(
        Mistake(
            f"padded-buffer-kept{ending}",
            find="    sizes = zip(padded.shape[2:]",
            replace=f"""\
    if {condition}:
        kept = conv2d.__dict__.setdefault((padded.shape, padded.dtype), torch.zeros_like(padded))
        kept[:, :, rows : rows + x.shape[2], columns : columns + x.shape[3]] = x.detach()
        padded = kept.clone()
    sizes = zip(padded.shape[2:]""",
            says="You keep a tensor of zeros for the padded x and take it again for the next one that is as "
            "large. Where that has a wider border, numbers of the earlier x stand in it. Make a new tensor "
            "in each call, or write zeros to the border.",
        )
        for ending, condition in (
            ("", "not (torch.is_grad_enabled() and x.requires_grad)"),
            ("-without-gradients", "not torch.is_grad_enabled()"),
        )
    ),
]
