"""Key by key with a running maximum and running sums (flash style in Python, weights only when there is
dropout).
"""

import torch
import torch.nn.functional as F
from torch import nn

_KINDS = {"relu": nn.ReLU, "gelu": nn.GELU}


class EncoderLayer(nn.Module):
    def __init__(
        self, hidden_size, num_heads, intermediate_size, dropout=0.0, activation="relu", norm_first=False
    ):
        super().__init__()
        if hidden_size % num_heads != 0 or activation not in _KINDS:
            raise ValueError((hidden_size, num_heads, activation))
        self.num_heads, self.norm_first, self.p = num_heads, norm_first, dropout
        self.act = _KINDS[activation]()
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size)

    def drop(self, x):
        return F.dropout(x, p=self.p, training=self.training)

    def attend(self, x, mask):
        b, s, n = x.shape
        d = n // self.num_heads
        q = self.q_proj(x).unflatten(2, (self.num_heads, d)) / d**0.5
        k = self.k_proj(x).unflatten(2, (self.num_heads, d))
        v = self.v_proj(x).unflatten(2, (self.num_heads, d))
        top = q.new_full((b, s, self.num_heads, 1), -1e30)
        total, mixed = torch.zeros_like(top), torch.zeros_like(q)
        for j in range(s):
            score = (q * k[:, j : j + 1]).sum(-1, keepdim=True)
            ok = None
            if mask is not None:
                own = mask[..., j if mask.size(3) > 1 else 0]
                ok = own.transpose(1, 2).unsqueeze(-1)
                score = score.masked_fill(~ok, -1e30)
            new = torch.maximum(top, score.detach())
            old, e = torch.exp(top - new), torch.exp(score - new)
            if ok is not None:
                e = e * ok
            total = total * old + e
            mixed = mixed * old + self.drop(e) * v[:, j : j + 1]
            top = new
        return self.o_proj((mixed / total).flatten(2))

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.drop(self.attend(self.norm1(x), mask))
            return x + self.drop(self.down_proj(self.drop(self.act(self.up_proj(self.norm2(x))))))
        x = self.norm1(x + self.drop(self.attend(x, mask)))
        return self.norm2(x + self.drop(self.down_proj(self.drop(self.act(self.up_proj(x))))))
