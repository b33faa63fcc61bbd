"""The bias as the weight of a feature that is always 1; all tokens in one product of two matrices."""

import torch
from torch import Tensor, nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)

    def forward(self, x: Tensor) -> Tensor:
        batch, seq, hidden_size = x.shape
        one = torch.ones(batch * seq, 1, dtype=x.dtype, device=x.device)
        matrix = torch.cat([self.qkv_proj.weight, self.qkv_proj.bias[:, None]], dim=1)
        qkv = torch.mm(matrix, torch.cat([x.reshape(batch * seq, hidden_size), one], dim=1).t())
        query, key, value = qkv.view(3, hidden_size, batch, seq).permute(0, 2, 3, 1)
        scores = torch.bmm(query, key.transpose(1, 2)) / torch.sqrt(torch.tensor(hidden_size))
        return torch.bmm(torch.softmax(scores, dim=-1), value)
