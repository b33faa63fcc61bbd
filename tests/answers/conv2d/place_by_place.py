"""One place of the output after the other."""

import torch


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    if isinstance(stride, int):
        stride = (stride,) * 2
    if isinstance(padding, int):
        padding = (padding,) * 2
    if isinstance(dilation, int):
        dilation = (dilation,) * 2
    batch, channels, height, width = x.size()
    outputs, per_group, kh, kw = weight.size()
    if outputs % groups != 0:
        raise ValueError("out_channels")
    if channels != per_group * groups:
        raise ValueError("in_channels")
    big = x.new_zeros(batch, channels, height + 2 * padding[0], width + 2 * padding[1])
    big[:, :, padding[0] : padding[0] + height, padding[1] : padding[1] + width] = x
    reach = [dilation[0] * (kh - 1) + 1, dilation[1] * (kw - 1) + 1]
    rows = []
    for top in range(0, big.shape[2] - reach[0] + 1, stride[0]):
        row = []
        for left in range(0, big.shape[3] - reach[1] + 1, stride[1]):
            window = big[:, :, top : top + reach[0] : dilation[0], left : left + reach[1] : dilation[1]]
            window = window.reshape(batch, groups, 1, per_group * kh * kw)
            kernels = weight.reshape(1, groups, outputs // groups, per_group * kh * kw)
            row.append((window * kernels).sum(dim=-1).reshape(batch, outputs))
        rows.append(torch.stack(row, dim=-1))
    result = torch.stack(rows, dim=-2)
    return result if bias is None else result + bias.reshape(-1, 1, 1)
