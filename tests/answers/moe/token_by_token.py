"""One token after the other, one expert after the other; experts are ModuleDicts; plain counting."""

import torch
from torch import nn


class MoE(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_experts, top_k):
        super().__init__()
        assert 0 < top_k <= num_experts, "top_k"
        self.k = top_k
        self.experts = nn.ModuleList()
        for _ in range(num_experts):
            layers = {
                "up_proj": nn.Linear(hidden_size, intermediate_size, bias=False),
                "gate_proj": nn.Linear(hidden_size, intermediate_size, bias=False),
                "down_proj": nn.Linear(intermediate_size, hidden_size, bias=False),
            }
            self.experts.append(nn.ModuleDict(layers))
        self.router = nn.Linear(hidden_size, num_experts, bias=False)

    def run(self, expert, vector):
        gate = expert["gate_proj"](vector)
        return expert["down_proj"](gate * torch.sigmoid(gate) * expert["up_proj"](vector))

    def forward(self, x):
        logits, rows = self.router(x), []
        for sequence, scores in zip(x, logits, strict=True):
            for vector, own in zip(sequence, scores, strict=True):
                best = sorted(range(len(own)), key=lambda i: -own[i].item())[: self.k]
                exponentials = [torch.exp(own[i] - own[best[0]]) for i in best]
                total = sum(exponentials)
                pairs = zip(exponentials, best, strict=True)
                rows.append(sum(e / total * self.run(self.experts[i], vector) for e, i in pairs))
        return torch.stack(rows).reshape(x.shape), logits


def load_balancing_loss(router_logits, top_k):
    n = router_logits.size(-1)
    rows = router_logits.flatten(0, -2) if router_logits.dim() > 1 else router_logits[None]
    counts = [0] * n
    for row in rows.tolist():
        for expert in sorted(range(n), key=row.__getitem__, reverse=True)[:top_k]:
            counts[expert] += 1
    P = torch.softmax(rows, -1).sum(0) / len(rows)
    return sum(count * p for count, p in zip(counts, P, strict=True)) * n / (len(rows) * top_k)
