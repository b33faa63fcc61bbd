"""Copies of the tokens sorted by expert, cut into groups, and sorted back; counts by bincount."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Routed(NamedTuple):
    output: Tensor
    router_logits: Tensor


class FeedForward(nn.Module):
    def __init__(self, d: int, m: int):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(d, m, bias=False), nn.Linear(d, m, bias=False)
        self.down_proj = nn.Linear(m, d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        both = F.linear(x, torch.cat([self.up_proj.weight, self.gate_proj.weight]))
        up, gate = both.chunk(2, -1)
        return self.down_proj(up * nn.SiLU()(gate))


class MoE(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, num_experts: int, top_k: int):
        super().__init__()
        if top_k not in range(1, num_experts + 1):
            raise ValueError(top_k)
        self.num_experts, self.top_k = num_experts, top_k
        self.router = nn.Linear(hidden_size, num_experts, bias=False)
        self.experts = nn.ModuleList(
            [FeedForward(hidden_size, intermediate_size) for _ in range(num_experts)]
        )
        self.register_buffer("load", torch.zeros(num_experts, dtype=torch.long), persistent=False)

    def forward(self, x: Tensor) -> Routed:
        b, s, d = x.shape
        logits = self.router(x)
        # A softmax over all, divided by the sum of the chosen, is the softmax over the chosen.
        top, ids = logits.log_softmax(-1).topk(self.top_k)
        weights = (top - top.logsumexp(-1, keepdim=True)).exp().reshape(-1)
        flat = ids.reshape(-1)  # copy c is of token c // top_k
        order = flat.argsort(stable=True)
        counts = torch.bincount(flat, minlength=self.num_experts)
        self.load = self.load + counts
        copies = x.reshape(-1, d).index_select(0, order // self.top_k)
        groups = copies.split(counts.tolist())
        results = [expert(group) for expert, group in zip(self.experts, groups, strict=True) if len(group)]
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order), device=order.device)
        found = torch.cat(results)[back] * weights[:, None]
        return Routed(found.view(b, s, self.top_k, d).sum(2), logits)


def load_balancing_loss(router_logits: Tensor, top_k: int) -> Tensor:
    experts = router_logits.shape[-1]
    ids = torch.argsort(router_logits, dim=-1, descending=True)[..., :top_k]
    f = torch.bincount(ids.flatten(), minlength=experts) / ids.numel()
    p = F.softmax(router_logits, dim=-1).reshape(-1, experts).mean(0)
    return experts * torch.dot(f.to(p.dtype), p)
