import math

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-5):
        super(LayerNorm, self).__init__()  # noqa: UP008
        self.hidden_size = hidden_size
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x):
        rows = []
        for row in x.reshape(math.prod(x.shape[:-1]), self.hidden_size).double():
            mu = sum(row) / len(row)
            # In float64 the short formula has digits to spare.
            second_moment = (row @ row) / len(row)
            rows.append((row - mu) / (second_moment - mu**2 + self.eps).sqrt())
        normalized = torch.stack(rows).to(x.dtype).view(x.shape)
        return normalized * self.weight + self.bias
