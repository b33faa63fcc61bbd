"""All entries copied into one vector; norms by hand; a branch on the number; chatty."""

import math

import torch

print("clipping")
torch.manual_seed(1)


def _norm(vector, kind):
    vector = vector.abs()
    if math.isinf(kind):
        return vector.max()
    return vector.pow(kind).sum() ** (1 / kind)


@torch.no_grad()
def clip_grad_norm_(params, limit, kind=2):
    live = [p for p in params if p.grad is not None]
    if len(live) == 0:
        return torch.tensor(0.0, dtype=torch.float64)
    total = _norm(torch.cat([p.grad.flatten() for p in live]), kind)
    print(float(total))
    if total > limit:
        for p in live:
            p.grad *= limit / total
    return total
