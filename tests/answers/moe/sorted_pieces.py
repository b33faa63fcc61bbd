"""All choices sorted by expert, pieces of a segment at a time, results added by index_add; bincount for the
load.
"""

import torch
import torch.nn.functional as F
from torch import nn


class _Expert(nn.Module):
    def __init__(self, hidden, inner):
        super().__init__()
        self.gate_proj = nn.Linear(hidden, inner, bias=False)
        self.up_proj = nn.Linear(hidden, inner, bias=False)
        self.down_proj = nn.Linear(inner, hidden, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class MoE(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_experts, top_k):
        super().__init__()
        if not 1 <= top_k <= num_experts:
            raise ValueError("top_k must be in 1 ... num_experts")
        self.top_k = top_k
        self.router = nn.Linear(hidden_size, num_experts, bias=False)
        self.experts = nn.ModuleList(_Expert(hidden_size, intermediate_size) for _ in range(num_experts))

    def forward(self, x):
        batch, seq, hidden = x.shape
        rows = x.reshape(batch * seq, hidden)
        logits = self.router(rows)
        best, chosen = logits.topk(self.top_k, dim=-1)
        weights = torch.softmax(best, dim=-1).reshape(batch * seq * self.top_k)
        flat = chosen.reshape(batch * seq * self.top_k)
        order = torch.argsort(flat)
        counts = torch.bincount(flat, minlength=len(self.experts)).tolist()
        out = torch.zeros_like(rows)
        start = 0
        for expert, count in zip(self.experts, counts):
            for piece in order[start : start + count].split(16):
                if piece.numel() == 0:
                    continue
                token = torch.div(piece, self.top_k, rounding_mode="floor")
                out = out.index_add(0, token, expert(rows[token]) * weights[piece].unsqueeze(1))
            start += count
        return out.view(batch, seq, hidden), logits.view(batch, seq, -1) if rows.size(0) else logits.view(
            batch, seq, len(self.experts)
        )


def load_balancing_loss(router_logits, top_k):
    n = router_logits.size(-1)
    rows = router_logits.reshape(router_logits.numel() // n, n)
    chosen = rows.detach().topk(top_k, dim=-1).indices.reshape(-1)
    share = torch.bincount(chosen, minlength=n).to(rows.dtype) / chosen.numel()
    return n * torch.dot(share, torch.softmax(rows, dim=-1).mean(0))
