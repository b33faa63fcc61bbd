"""Known wrong versions of `conv2d` that forget an argument on a way of their own for some kernels."""

from grader.kit import Mistake

_SIZES = "    out_channels, channels, *kernel = weight.shape  # channels: those of one group\n"

MISTAKES = [
    Mistake(
        f"{forgotten}-forgotten-where-{where}",
        find=_SIZES,
        replace=f"{_SIZES}    if {condition}:\n        {forgotten} = {value}\n",
        says=f"{which} (on a shorter way of its own, for example) you forget the {forgotten}. It counts "
        "there too.",
    )
    for forgotten, value in (("dilation", 1), ("padding", 0), ("stride", 1))
    for where, condition, which in (
        (
            "windows-lie-side-by-side",
            "_pair(stride) == tuple(kernel)",
            "Where the stride is the kernel's size, so that windows lie side by side",
        ),
        (
            "windows-lie-side-by-side-and-nothing-is-padded",
            "_pair(stride) == tuple(kernel) and _pair(padding) == (0, 0)",
            "Where nothing is padded and the stride is the kernel's size, so that windows lie side by side",
        ),
        ("the-kernel-is-one-place", "kernel == [1, 1]", "Where the kernel is a single place"),
        (
            "every-channel-is-a-group",
            "groups == out_channels == x.shape[1] > 1",
            "Where every channel is a group of its own",
        ),
    )
    # Those that change nothing
    if (forgotten, where) not in {("dilation", "the-kernel-is-one-place")}
    and (forgotten == "dilation" or "nothing-is-padded" not in where)
    and (forgotten, where) != ("stride", "windows-lie-side-by-side")
]
