"""addmm over flattened tokens, attention under torch.utils.checkpoint, baddbmm."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def _attend(q, k, v):
    zero = torch.zeros(1, 1, 1, dtype=q.dtype, device=q.device)
    scores = torch.baddbmm(zero, q, k.transpose(1, 2), alpha=q.size(2) ** -0.5)
    return torch.bmm(scores.softmax(2), v)


class SelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_size, hidden_size * 3)

    def forward(self, x):
        b, s, c = x.size()
        flat = torch.addmm(self.qkv_proj.bias, x.reshape(b * s, c), self.qkv_proj.weight.t())
        q, k, v = flat.view(b, s, 3, c).unbind(2)
        return checkpoint(_attend, q, k, v, use_reentrant=False, preserve_rng_state=False)
