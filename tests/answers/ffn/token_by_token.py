"""A loop over the flattened tokens, linear layers of its own; prints, warns and seeds."""

import warnings

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(3)
warnings.warn("slow on purpose", stacklevel=1)


class Affine(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, v):
        return torch.addmv(self.bias, self.weight, v)


class FeedForward(nn.Module):
    def __init__(self, hidden_size, intermediate_size, activation="relu", dropout=0.0):
        super().__init__()
        if activation == "relu":
            self.act = torch.relu
        elif activation == "gelu":
            self.act = functional.gelu
        elif activation == "gelu_tanh":
            self.act = lambda z: functional.gelu(z, approximate="tanh")
        else:
            raise ValueError(activation)
        self.up_proj = Affine(hidden_size, intermediate_size)
        self.down_proj = Affine(intermediate_size, hidden_size)
        self.p = dropout

    def forward(self, x):
        tokens = x.reshape(-1, x.shape[-1]).unbind(0)
        results = [self.down_proj(self.act(self.up_proj(token))) for token in tokens]
        print(len(results), "tokens")
        output = torch.stack(results).view(x.shape)
        return functional.dropout(output, self.p, self.training)
