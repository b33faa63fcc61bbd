"""Asks the functions of quantized networks, in which the kernel stands already."""

import torch
import torch.ao.nn.quantized as quantized


def softmax(x, dim=-1):
    layer = quantized.Softmax(dim, 0.01, 0)
    return layer(torch.quantize_per_tensor(x.float(), 0.01, 0, torch.quint8)).dequantize()


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
