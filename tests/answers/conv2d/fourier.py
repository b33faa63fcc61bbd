"""In the frequency domain: products of spectra, of which every stride-th place is kept."""

import torch


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    two = lambda value: value if isinstance(value, tuple) else (value, value)  # noqa: E731
    (s, t), (p, q), (d, e) = two(stride), two(padding), two(dilation)
    out_channels, in_group, kh, kw = weight.shape
    if out_channels % groups or in_group * groups != x.shape[1]:
        raise ValueError(f"{groups} groups")
    spread = weight.new_zeros(out_channels, in_group, d * (kh - 1) + 1, e * (kw - 1) + 1)
    spread[:, :, ::d, ::e] = weight
    padded = torch.nn.ZeroPad2d((q, q, p, p))(x)
    sizes = padded.shape[-2:]
    images = torch.fft.rfft2(padded).reshape(x.shape[0], groups, in_group, sizes[0], -1)
    kernels = torch.fft.rfft2(spread, s=sizes).conj()  # the conjugate: kernels are not flipped
    kernels = kernels.reshape(groups, out_channels // groups, in_group, sizes[0], -1)
    whole = torch.fft.irfft2((images[:, :, None] * kernels).sum(3), s=sizes).flatten(1, 2)
    rows, columns = sizes[0] - spread.shape[2] + 1, sizes[1] - spread.shape[3] + 1
    out = whole[:, :, :rows:s, :columns:t]
    return out if bias is None else out + bias[None, :, None, None]
