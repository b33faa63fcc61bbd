"""Prints lines of characters that take much room, in every check of a topic with many."""

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, nn.Linear(hidden_size, hidden_size))
        for _ in range(40):
            print("\U0001f600" * 200)

    def forward(self, x, mask=None):
        raise ValueError("loud")
