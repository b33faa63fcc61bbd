"""Two-dimensional convolution: each output is a weighted sum over a window, with the same weights everywhere.

Image models are made of it, and a ViT's patch embedding is one whose stride is the kernel's size. Forbidden:
every built-in convolution, of any dimension, transposed ones too, NumPy's and SciPy's as well. torch.fft,
F.unfold, Tensor.unfold, F.pad and einsum are allowed.
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional


def conv2d(
    x: Float[Tensor, "batch in_channels height width"],
    weight: Float[Tensor, "out_channels in_channels/groups kernel_height kernel_width"],
    bias: Float[Tensor, "out_channels"] | None = None,
    stride: int | tuple[int, int] = 1,
    padding: int | tuple[int, int] = 0,
    dilation: int | tuple[int, int] = 1,
    groups: int = 1,
) -> Float[Tensor, "batch out_channels out_height out_width"]:
    """The windows of `x`, `stride` apart, each multiplied by `weight` and summed up, plus the bias if given.

    `stride`, `padding` and `dilation` are an int for both directions or a pair (height, width). The kernel is
    not flipped (it is a cross-correlation). `padding` zeros stand on *each* side. `dilation` is the distance
    between neighbouring places of the window, so that it covers dilation * (kernel - 1) + 1 places, and

        out_height = (height + 2 * padding - dilation * (kernel_height - 1) - 1) // stride + 1,

    the width alike: what is left over at the end, because the stride does not fit, is not used.

    `groups`: in_channels and out_channels are cut into so many blocks of neighbouring channels; block g of
    the output reads block g of the input alone. ValueError (or AssertionError) if `groups` does not divide
    out_channels, or if in_channels is not weight.shape[1] * groups.

    The window fits into the padded `x` at least once; sizes are at least 1, padding may be 0. `x`, `weight`
    and `bias` have one dtype (float32 or float64), which the result has too, and any layout. The result is on
    their device, whatever the default device is. No argument is modified. The gradients of `x`, `weight` and
    `bias` are the true ones. A Python loop over the places of the output, or of the kernel, is fast enough;
    one over batch and channels as well is not.
    """
    out_channels, channels, *kernel = weight.shape  # channels: those of one group
    if out_channels % groups or x.shape[1] != channels * groups:
        raise ValueError(f"{groups} groups do not fit x {tuple(x.shape)}, weight {tuple(weight.shape)}")
    rows, columns = _pair(padding)
    padded = functional.pad(x, (columns, columns, rows, rows))  # F.pad begins with the last dimension
    sizes = zip(padded.shape[2:], kernel, _pair(stride), _pair(dilation), strict=True)
    read_rows, read_columns = (_places_read(*direction, x.device) for direction in sizes)
    windows = padded[:, :, read_rows[:, None, :, None], read_columns[None, :, None, :]]
    # (batch, in_channels, kernel_height, kernel_width, out_height, out_width)
    windows = windows.unflatten(1, (groups, channels))
    grouped_weight = weight.unflatten(0, (groups, out_channels // groups))
    output = torch.einsum("bgckluv,gockl->bgouv", windows, grouped_weight)
    output = output.flatten(1, 2)  # (batch, out_channels, out_height, out_width)
    return output if bias is None else output + bias[:, None, None]


def _places_read(size: int, kernel: int, stride: int, dilation: int, device: torch.device) -> Tensor:
    """Of one direction: which place of the padded input each place of the kernel meets in each window."""
    windows = (size - dilation * (kernel - 1) - 1) // stride + 1  # the last one must fit whole
    starts = stride * torch.arange(windows, device=device)
    within = dilation * torch.arange(kernel, device=device)
    return starts + within[:, None]  # (kernel, windows)


def _pair(size: int | tuple[int, int]) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else size
