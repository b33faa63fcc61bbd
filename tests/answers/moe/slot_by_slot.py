"""Slot by slot: each rank of choice writes into its own preallocated buffer; weights by a masked softmax;
loss in float64.
"""

import torch
import torch.nn.functional as F
from torch import nn


class SwiGLUExpert(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(n, m, bias=False), nn.Linear(n, m, bias=False)
        self.down_proj = nn.Linear(m, n, bias=False)


class MoE(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_experts, top_k):
        super().__init__()
        if top_k < 1 or top_k > num_experts:
            raise ValueError(top_k)
        self.num_experts, self.top_k = num_experts, top_k
        self.router = nn.Linear(hidden_size, num_experts, bias=False)
        self.experts = nn.ModuleList(
            [SwiGLUExpert(hidden_size, intermediate_size) for _ in range(num_experts)]
        )

    def forward(self, x):
        logits = torch.einsum("bsh,eh->bse", x, self.router.weight)
        chosen = torch.sort(logits.detach(), dim=-1, descending=True, stable=True).indices[..., : self.top_k]
        allowed = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, chosen, True)
        weights = logits.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
        slots = x.new_empty((self.top_k, *x.shape))
        for slot in range(self.top_k):
            pick = chosen[..., slot]
            for index in sorted(set(pick.reshape(-1).tolist())):
                expert = self.experts[index]
                b, s = torch.nonzero(pick == index, as_tuple=True)
                own = x[b, s]
                mid = F.silu(own @ expert.gate_proj.weight.t()) * (own @ expert.up_proj.weight.t())
                slots[slot, b, s] = (mid @ expert.down_proj.weight.t()) * weights[b, s, index, None]
        return slots.sum(dim=0), logits


def load_balancing_loss(router_logits, top_k):
    n = router_logits.shape[-1]
    wide = router_logits.double().reshape(-1, n)
    with torch.no_grad():
        picks = F.one_hot(torch.topk(router_logits.reshape(-1, n), top_k, dim=1)[1], n)
        f = picks.double().mean(dim=(0, 1))
    p = torch.exp(torch.log_softmax(wide, dim=1)).mean(dim=0)
    return (n * f @ p).to(router_logits.dtype)
