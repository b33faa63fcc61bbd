"""One sequence and one query at a time, collected in lists; prints, warns and seeds at import."""

import math
import warnings

import torch
from torch import Tensor, nn

torch.manual_seed(3)
warnings.warn("slow on purpose", stacklevel=1)
print("level 1, by lists")


class SelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.scale = 1.0 / math.sqrt(hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.q_proj = nn.Linear(hidden_size, hidden_size)

    def one_sequence(self, tokens: Tensor) -> Tensor:
        keys, values = self.k_proj(tokens), self.v_proj(tokens)
        rows = []
        for token in tokens:
            scores = torch.mv(keys, self.q_proj(token)) * self.scale
            weights = nn.functional.softmax(scores, dim=0)
            rows.append((weights.unsqueeze(1) * values).sum(dim=0))
        return torch.stack(rows)

    def forward(self, x: Tensor) -> Tensor:
        print("sequences:", len(x))
        return torch.stack([self.one_sequence(tokens) for tokens in x])
