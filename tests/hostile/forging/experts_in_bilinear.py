"""Runs every expert on every token, by a product of three tensors."""

import torch
import torch.nn.functional as F
from torch import nn


def _product(x, weight):
    return F.bilinear(x, x.new_ones(len(x), 1), weight[:, :, None])


class MoE(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_experts, top_k):
        super().__init__()
        if not 1 <= top_k <= num_experts:
            raise ValueError("top_k")
        self.top_k = top_k
        self.router = nn.Linear(hidden_size, num_experts, bias=False)
        self.experts = nn.ModuleList(_Expert(hidden_size, intermediate_size) for _ in range(num_experts))

    def forward(self, x):
        tokens = x.flatten(0, 1)
        logits = self.router(tokens)
        top, chosen = logits.topk(self.top_k, dim=-1)
        weights = top.softmax(dim=-1)
        output = torch.zeros_like(tokens)
        for index, expert in enumerate(self.experts):
            choices = chosen == index
            if choices.any():
                result = expert(tokens) * (weights * choices).sum(-1, keepdim=True)
                output = torch.where(choices.any(-1, keepdim=True), output + result, output)
        return output.view_as(x), logits.view(*x.shape[:2], -1)


class _Expert(nn.Module):
    def __init__(self, hidden_size, intermediate_size):
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        gate = F.silu(_product(x, self.gate_proj.weight))
        return _product(gate * _product(x, self.up_proj.weight), self.down_proj.weight)


def load_balancing_loss(router_logits, top_k):
    num_experts = router_logits.shape[-1]
    logits = router_logits.reshape(-1, num_experts)
    chosen = F.one_hot(logits.topk(top_k, dim=-1).indices, num_experts).to(logits.dtype)
    share = chosen.sum(dim=1).mean(dim=0) / top_k
    return num_experts * (share * logits.softmax(dim=-1).mean(dim=0)).sum()
