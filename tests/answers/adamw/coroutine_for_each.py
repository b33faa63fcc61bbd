"""One coroutine (generator) for each parameter; running means already corrected for the bias, by lerp_ with
a weight that shrinks.
"""

import torch


def walker(p, lr, b1, b2, eps, decay):
    data = p.detach()
    mean, square = torch.zeros_like(data), torch.zeros_like(data)
    t = 0
    while True:
        gradient = yield
        t += 1
        mean.lerp_(gradient, (1 - b1) / (1 - b1**t))
        square.lerp_(gradient * gradient, (1 - b2) / (1 - b2**t))
        data = p.detach()
        data.mul_(1 - lr * decay)
        data.sub_(mean.div(square.sqrt().add_(eps)), alpha=lr)
        del data, gradient


class AdamW:
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        self.pairs = []
        for p in params:
            w = walker(p, lr, betas[0], betas[1], eps, weight_decay)
            next(w)
            self.pairs.append((p, w))

    def step(self):
        for p, w in self.pairs:
            if p.grad is not None:
                w.send(p.grad.detach())

    def zero_grad(self):
        for p, _ in self.pairs:
            p.grad = None
