"""Known wrong versions of the groups and the bias of `conv2d`."""

from grader.kit import Mistake

_WEIGHT = "    grouped_weight = weight.unflatten(0, (groups, out_channels // groups))"
_RETURN = "    return output if bias is None else output + bias[:, None, None]"
_WINDOWS = "    windows = windows.unflatten(1, (groups, channels))"
_FLAT = "    output = output.flatten(1, 2)  # (batch, out_channels, out_height, out_width)"
_RAISES = "    if out_channels % groups or x.shape[1] != channels * groups:"


MISTAKES = [
    Mistake(
        "groups-interleaved",
        find=_WINDOWS,
        replace="    windows = windows.unflatten(1, (channels, groups)).transpose(1, 2)",
        also=(
            (
                _WEIGHT,
                "    grouped_weight = weight.unflatten(0, (out_channels // groups, groups)).transpose(0, 1)",
            ),
            (_FLAT, "    output = output.transpose(1, 2).flatten(1, 2)"),
        ),
        says="You put channel c into group c % groups. Groups are blocks of neighbouring channels, of input "
        "and output: the first in_channels / groups belong to group 0.",
    ),
    Mistake(
        "groups-interleaved-in-the-input",
        find=_WINDOWS,
        replace="    windows = windows.unflatten(1, (channels, groups)).transpose(1, 2)",
        says="You put input channel c into group c % groups. Groups are blocks of neighbouring channels: "
        "the first in_channels / groups belong to group 0.",
    ),
    Mistake(
        "groups-interleaved-in-the-output",
        find=_FLAT,
        replace="    output = output.transpose(1, 2).flatten(1, 2)",
        says="You put the groups' output channels in turns. Group 0 makes the first out_channels / groups "
        "channels of the output.",
    ),
    Mistake(
        "every-group-reads-the-first-channels",
        find=_WINDOWS,
        replace="    windows = windows[:, :channels].unsqueeze(1).expand(-1, groups, *[-1] * 5)",
        says="All your groups read the first in_channels / groups channels of x. Group g reads block g.",
    ),
    Mistake(
        "every-group-has-the-first-kernels",
        find=_WEIGHT,
        replace="    grouped_weight = weight[: out_channels // groups].expand(groups, *[-1] * 4)",
        says="All your groups use the first out_channels / groups kernels. Group g has block g of them.",
    ),
    Mistake(
        "outputs-in-the-inputs-blocks",
        find=_FLAT,
        replace="""\
    shape = x.shape[0], out_channels, *output.shape[3:]
    output = x.new_zeros(shape)
    for g in range(groups):
        block = slice(g * channels, (g + 1) * channels)
        output[:, block] = torch.einsum("bckluv,ockl->bouv", windows[:, g], weight[block])""",
        says="A group's block of the output is as large as its block of the input in your answer, so that "
        "channels are left at zero, or are made from another group's input, where in_channels and "
        "out_channels differ. It has out_channels / groups of them.",
    ),
    Mistake(
        "left-over-outputs-accepted",
        find=_RAISES,
        replace="""\
    out_channels -= out_channels % groups
    weight, bias = weight[:out_channels], bias if bias is None else bias[:out_channels]
    if x.shape[1] != channels * groups:""",
        says="You do not ask whether groups divides out_channels, and go on with those that do. A "
        "ValueError is asked for there.",
    ),
    Mistake(
        "groups-not-checked",
        find=_RAISES,
        replace="    if False:",
        says="You do not ask whether the channels fit the groups. A ValueError is asked for where groups "
        "does not divide out_channels, or in_channels is not weight.shape[1] * groups.",
    ),
    Mistake(
        "outputs-of-groups-not-checked",
        find=_RAISES,
        replace="    if x.shape[1] != channels * groups:",
        says="You do not ask whether groups divides out_channels. Where it does not, a ValueError is asked "
        "for.",
    ),
    Mistake(
        "inputs-of-groups-not-checked",
        find=_RAISES,
        replace="    if out_channels % groups or x.shape[1] % groups:",
        says="You do not ask whether x has as many channels as the weight reads: weight.shape[1] * groups. "
        "Where it has not, a ValueError is asked for.",
    ),
    Mistake(
        "bias-along-the-width",
        find=_RETURN,
        replace="    return output if bias is None else output + bias",
        says="You add the bias along the width: shapes are matched from the last dimension on. It belongs "
        "to the channels: bias[:, None, None].",
    ),
    Mistake(
        "bias-along-the-batch",
        find=_RETURN,
        replace="    return output if bias is None else output + bias[:, None, None, None]",
        says="You add the bias along the batch. It belongs to the channels, dimension 1: bias[:, None, "
        "None].",
    ),
    Mistake(
        "bias-forgotten",
        find=_RETURN,
        replace="    return output",
        says="You never add the bias. Each output channel has one number that is added at all its places.",
    ),
    Mistake(
        "gradient-cut-at-the-bias",
        find=_RETURN,
        replace="    return output if bias is None else output + bias.detach()[:, None, None]",
        says="No gradient reaches the bias, so it keeps the numbers that it began with: it is cut off from "
        "the graph (by detach, .data or .item()), for example.",
    ),
    Mistake(
        "bias-asked-for-its-truth",
        find=_RETURN,
        replace="    return output + bias[:, None, None] if bias else output",
        says="You write `if bias:`. A tensor of several numbers is neither true nor false, so that raises, "
        "and a single 0 counts as no bias. Ask whether it is None.",
    ),
    Mistake(
        "groups-interleaved-in-weight-and-output",
        find=_WEIGHT,
        replace="    grouped_weight = weight.unflatten(0, (out_channels // groups, groups)).transpose(0, 1)",
        also=((_FLAT, "    output = output.transpose(1, 2).flatten(1, 2)"),),
        says="Output channel c reads block c % groups of the input in your answer. Groups are blocks of "
        "neighbouring channels in the output too: the first out_channels / groups of them read block 0.",
    ),
    Mistake(
        "left-over-inputs-accepted",
        find=_RAISES,
        replace="    if out_channels % groups or x.shape[1] // groups != channels:",
        also=(
            (_WINDOWS, _WINDOWS.replace("windows.unflatten", "windows[:, : groups * channels].unflatten")),
        ),
        says="Where groups does not divide in_channels, you round down: the channels that are left over are "
        "accepted, and not read. A ValueError is asked for wherever in_channels is not weight.shape[1] * "
        "groups.",
    ),
    Mistake(
        "outputs-interleaved-where-a-group-is-one-channel",
        find=_WEIGHT,
        replace=f"""\
    grouped_weight = weight.unflatten(0, (out_channels // groups, groups)).transpose(0, 1)
    if channels > 1:
    {_WEIGHT}""",
        also=((_FLAT, "    output = (output if channels > 1 else output.transpose(1, 2)).flatten(1, 2)"),),
        says="Where a group is a single channel of the input, output channel c reads channel c % groups in "
        "your answer. The output channels of a group are neighbours: the first out_channels / groups of them "
        "read channel 0.",
    ),
]
