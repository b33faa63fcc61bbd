"""Lists of tensors at once with torch._foreach_*; counts in a list; no_grad as a decorator."""

import torch


class AdamW:
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, **unused):
        self.params = [p for p in params]
        self.lr, self.betas, self.eps, self.wd = lr, betas, eps, weight_decay
        self.t = [0] * len(self.params)
        self.m = [torch.zeros_like(p, requires_grad=False) for p in self.params]
        self.v = [m.clone() for m in self.m]

    @torch.no_grad()
    def step(self):
        live = [i for i, p in enumerate(self.params) if p.grad is not None]
        if not live:
            return
        p, m, v = ([each[i] for i in live] for each in (self.params, self.m, self.v))
        g = [self.params[i].grad for i in live]
        for i in live:
            self.t[i] += 1
        b1, b2 = self.betas
        torch._foreach_mul_(p, 1 - self.lr * self.wd)
        torch._foreach_lerp_(m, g, 1 - b1)
        torch._foreach_mul_(v, b2)
        torch._foreach_addcmul_(v, g, g, value=1 - b2)
        mean = torch._foreach_div(m, [1 - b1 ** self.t[i] for i in live])
        root = torch._foreach_sqrt(torch._foreach_div(v, [1 - b2 ** self.t[i] for i in live]))
        torch._foreach_add_(root, self.eps)
        torch._foreach_addcdiv_(p, mean, root, value=-self.lr)

    def zero_grad(self):
        for p in self.params:
            p.grad = None
