"""im2col: all windows as columns of a matrix, and one matrix product for each group."""

import torch
import torch.nn.functional as F


def both(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    stride, padding, dilation = both(stride), both(padding), both(dilation)
    n, c_in, h, w = x.shape
    c_out, c_group, kh, kw = weight.shape
    assert c_in == c_group * groups, "channels of x and weight do not fit"
    assert c_out % groups == 0, "groups must divide the output channels"
    oh = (h + 2 * padding[0] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    ow = (w + 2 * padding[1] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    outs = []
    for part, kernels in zip(x.chunk(groups, dim=1), weight.chunk(groups, dim=0), strict=True):
        cols = F.unfold(part, (kh, kw), dilation=dilation, padding=padding, stride=stride)
        outs.append(kernels.reshape(len(kernels), -1) @ cols)
    out = torch.cat(outs, dim=1).view(n, c_out, oh, ow)
    if bias is not None:
        out += bias.view(1, -1, 1, 1)
    return out
