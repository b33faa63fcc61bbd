"""Place by place of the kernel, with a backward pass by hand."""

import torch


class Correlate(torch.autograd.Function):
    """x is padded, and both it and the weight are split into groups."""

    @staticmethod
    def forward(ctx, x, weight, size, step, gap):
        ctx.save_for_backward(x, weight)
        ctx.places = [
            (i, j, Correlate.along(i, size[0], step[0], gap[0]), Correlate.along(j, size[1], step[1], gap[1]))
            for i in range(weight.shape[-2])
            for j in range(weight.shape[-1])
        ]
        out = x.new_zeros(x.shape[0], weight.shape[0], weight.shape[1], *size)
        for i, j, rows, columns in ctx.places:
            out += torch.einsum("ngihw,goi->ngohw", x[:, :, :, rows, columns], weight[..., i, j])
        return out

    @staticmethod
    def along(place, count, step, gap):
        start = place * gap
        return slice(start, start + step * (count - 1) + 1, step)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        grad_x, grad_weight = torch.zeros_like(x), torch.zeros_like(weight)
        for i, j, rows, columns in ctx.places:
            grad_x[:, :, :, rows, columns] += torch.einsum("ngohw,goi->ngihw", grad, weight[..., i, j])
            grad_weight[..., i, j] = torch.einsum("ngohw,ngihw->goi", grad, x[:, :, :, rows, columns])
        return grad_x, grad_weight, None, None, None


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    step, pad, gap = (v if isinstance(v, tuple) else (v, v) for v in (stride, padding, dilation))
    c_out, c_in, kh, kw = weight.shape
    if c_out % groups or x.shape[1] / groups != c_in:
        raise ValueError("groups")
    x = torch.constant_pad_nd(x, [pad[1], pad[1], pad[0], pad[0]])
    size = [1 + (x.shape[2 + d] - (k - 1) * gap[d] - 1) // step[d] for d, k in ((0, kh), (1, kw))]
    grouped = x.reshape(x.shape[0], groups, c_in, *x.shape[2:])
    out = Correlate.apply(grouped, weight.reshape(groups, -1, c_in, kh, kw), size, step, gap)
    out = out.reshape(x.shape[0], c_out, *size)
    if bias is not None:
        out = (out.movedim(1, -1) + bias).movedim(-1, 1)
    return out
