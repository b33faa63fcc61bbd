"""The weights of each token's experts gathered into batches of matrices; masks in the loss."""

import torch
from torch import einsum, nn
from torch.nn import functional as F


class Expert(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        for name, (n, m) in sizes.items():
            self.add_module(name, nn.Linear(n, m, bias=False))


class MoE(nn.Module):
    def __init__(self, d, hidden, n, k):
        if k < 1 or k > n:
            raise ValueError(f"{k} of {n} experts")
        super().__init__()
        sizes = {"gate_proj": (d, hidden), "up_proj": (d, hidden), "down_proj": (hidden, d)}
        self.experts = nn.ModuleList(Expert(sizes) for _ in range(n))
        self.router = nn.Linear(d, n, bias=False)
        nn.init.zeros_(self.router.weight)
        self.k = k

    def stacked(self, name):
        return torch.stack([getattr(expert, name).weight for expert in self.experts])

    def forward(self, x):
        logits = self.router(x)
        probabilities = F.softmax(logits - logits.amax(-1, keepdim=True), -1, dtype=torch.float64)
        _, ids = torch.topk(logits, self.k, dim=-1)
        chosen = probabilities.gather(-1, ids)
        weights = (chosen / chosen.sum(-1, keepdim=True)).to(x.dtype)
        gate, up, down = (self.stacked(f"{name}_proj")[ids] for name in ("gate", "up", "down"))
        inner = F.silu(einsum("bsd,bskmd->bskm", x, gate)) * einsum("bsd,bskmd->bskm", x, up)
        return [einsum("bskm,bskdm,bsk->bsd", inner, down, weights), logits]


def load_balancing_loss(router_logits, top_k):
    n = router_logits.shape[-1]
    router_logits = router_logits.reshape(-1, n)
    least = router_logits.detach().topk(top_k).values[:, -1:]
    f = (router_logits >= least).to(router_logits).mean(0) / top_k
    exponentials = torch.exp(router_logits - router_logits.max(1, keepdim=True)[0])
    p = torch.mean(exponentials / exponentials.sum(1, keepdim=True), 0)
    return n * torch.sum(f * p)
