"""The whole correlation by torch.fft in float64 (product with the conjugate), then cut and strided."""

import torch
import torch.nn.functional as F


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    (sh, sw), (ph, pw), (dh, dw) = ((v, v) if isinstance(v, int) else v for v in (stride, padding, dilation))
    o, c, kh, kw = weight.shape
    assert o % groups == 0, "groups must divide out_channels"
    assert x.shape[1] == c * groups, "in_channels do not fit"
    p = F.pad(x.double(), (pw, pw, ph, ph))
    h, w = p.shape[-2:]
    spread_h, spread_w = dh * (kh - 1) + 1, dw * (kw - 1) + 1
    kernel = torch.zeros(o, c, spread_h, spread_w, dtype=p.dtype, device=p.device)
    kernel[:, :, ::dh, ::dw] = weight.double()
    fp = torch.fft.rfft2(p).unflatten(1, (groups, c))
    fk = torch.fft.rfft2(kernel, s=(h, w)).conj().unflatten(0, (groups, o // groups))
    full = torch.fft.irfft2(torch.einsum("bgcyx,gocyx->bgoyx", fp, fk), s=(h, w)).flatten(1, 2)
    out = full[:, :, : h - spread_h + 1 : sh, : w - spread_w + 1 : sw].to(x.dtype)
    if bias is not None:
        out = out + bias.reshape(1, o, 1, 1)
    return out
