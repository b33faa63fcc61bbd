"""PyTorch's form of the momentum (lerp), addmm, a floor for the norm, .data; chatty."""

import math

import torch

torch.manual_seed(7)
print("muon")


def newton_schulz(g, k=5, abc=(3.4445, -4.7750, 2.0315), tiny=1e-7):
    transposed = g.size(-2) > g.size(-1)
    y = g.mT if transposed else g
    y = y.div(y.norm().clamp(min=tiny))
    for _ in range(k):
        gram = y @ y.mT
        y = torch.addmm(y, torch.addmm(gram, gram, gram, beta=abc[1], alpha=abc[2]), y, beta=abc[0])
    return y.mT if transposed else y


class Muon:
    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_steps=5):
        self.state = {}
        self.params = []
        for p in params:
            assert p.ndim == 2, f"a parameter of {p.ndim} dimensions"
            self.params.append(p)
        self.options = lr, weight_decay, momentum, nesterov, ns_steps

    @torch.no_grad()
    def step(self):
        lr, weight_decay, momentum, nesterov, ns_steps = self.options
        for i, p in enumerate(self.params):
            if p.grad is None:
                continue
            b = self.state.setdefault(i, torch.zeros_like(p.grad))
            b.lerp_(p.grad, 1 - momentum)
            u = p.grad.lerp(b, momentum) if nesterov else b
            p.mul_(1 - lr * weight_decay)
            p.add_(newton_schulz(u, ns_steps), alpha=-lr * math.sqrt(max(1.0, p.size(0) / p.size(1))))

    def zero_grad(self):
        for p in self.params:
            p.grad = None
