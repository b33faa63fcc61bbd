"""The named layers put into an nn.Sequential as well, which shares their parameters."""

import torch
from torch import nn


def make_activation(name: str) -> nn.Module:
    match name:
        case "relu":
            return nn.ReLU(inplace=True)
        case "gelu":
            return nn.GELU()
        case "gelu_tanh":
            return nn.GELU("tanh")
    raise ValueError(f"{name} is none of relu, gelu, gelu_tanh")


class FeedForward(nn.Module):
    def __init__(self, hidden_size, intermediate_size, activation="relu", dropout=0.0):
        super().__init__()
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        layers = [
            self.up_proj,
            make_activation(activation),
            self.down_proj,
            nn.Dropout(dropout, inplace=True),
        ]
        self.net = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(x)
