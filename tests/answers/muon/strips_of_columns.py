"""The long side in strips of columns: the Gram matrix adds up by addmm_, and each strip is written in place
into a preallocated work tensor.
"""

import torch


@torch.no_grad()
def newton_schulz(matrix, steps=5, coefficients=(3.4445, -4.7750, 2.0315), eps=1e-7):
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    source = matrix.mT if tall else matrix
    m, n = source.shape
    work = torch.empty((m, n), dtype=matrix.dtype, device=matrix.device)
    work.copy_(source)
    work.div_(work.norm() + max(eps, 1e-30))
    strips = work.split(max(1, m), dim=1)
    gram = torch.empty((m, m), dtype=matrix.dtype, device=matrix.device)
    inner = torch.empty_like(gram)
    for _ in range(steps):
        gram.zero_()
        for strip in strips:
            gram.addmm_(strip, strip.mT)
        torch.mm(gram, gram, out=inner)
        inner.mul_(c).add_(gram, alpha=b)
        for strip in strips:
            strip.copy_(torch.mm(inner, strip).add_(strip, alpha=a))
    return work.mT if tall else work


class _Slot:
    def __init__(self, p):
        assert p.dim() == 2, "matrices only"
        self.p, self.velocity = p, torch.zeros_like(p.detach())

    def __call__(self, lr, decay, mu, nesterov, steps):
        g = self.p.grad
        if g is None:
            return
        self.velocity.mul_(mu).add_(g)
        u = self.velocity
        if nesterov:
            u = u.mul(mu).add_(g)
        rows, cols = self.p.shape
        change = newton_schulz(matrix=u, steps=steps).mul_(max(1.0, rows / cols) ** 0.5)
        self.p.sub_(change.add_(self.p, alpha=decay), alpha=lr)


class Muon:
    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_steps=5):
        self._slots = [_Slot(p) for p in params]
        self._args = (lr, weight_decay, momentum, nesterov, ns_steps)

    def step(self):
        with torch.no_grad():
            for slot in self._slots:
                slot(*self._args)

    def zero_grad(self):
        for slot in self._slots:
            slot.p.grad = None
