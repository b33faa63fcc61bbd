"""Layer normalization as tensors of many lengths have it, in Python."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x):
        values = x.detach().reshape(-1, 1)
        jagged = torch.nested.nested_tensor_from_jagged(values, torch.arange(0, len(values) + 1, x.shape[-1]))
        norm, kind = torch.ops.aten.native_layer_norm.default, type(jagged)
        given = (jagged, [jagged.shape[1], 1], None, None, self.eps)
        normalized = kind.__torch_dispatch__(norm, (kind,), given, {})[0]
        return self.weight * normalized._values.reshape(x.shape) + self.bias
