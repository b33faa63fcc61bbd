"""einsum in int64; a subclass of nn.Linear's place; scales by division through numpy."""

import numpy as np
import torch


def quantize(x):
    array = x.detach().cpu().numpy()
    top = np.abs(array).max(axis=-1, keepdims=True)
    scale = np.where(top == 0, np.asarray(127, array.dtype), top) / np.asarray(127, array.dtype)
    q = np.rint(array / scale).astype(np.int8)
    return torch.from_numpy(q).to(x.device), torch.from_numpy(scale).to(x)


class Quantized(torch.nn.Module):
    """Buffers from a dict of tensors."""

    def __init__(self, **tensors):
        super().__init__()
        for name, tensor in tensors.items():
            self.register_buffer(name, tensor)


class Int8Linear(Quantized):
    def __init__(self, linear):
        q, scale = quantize(linear.weight)
        bias = linear.bias if linear.bias is None else linear.bias.data.numpy().copy()
        super().__init__(weight=q, scale=scale, bias=bias if bias is None else torch.from_numpy(bias))

    def forward(self, x):
        q, s = quantize(x)
        dots = torch.einsum("...i,oi->...o", q.long(), self.weight.long())
        result = dots * (s * self.scale.view(-1))
        return result if self.bias is None else torch.add(result, self.bias)
