"""An autograd function of its own, chatty and seeded: backward is softmax minus target distribution."""

import warnings

import torch

torch.manual_seed(0)
warnings.warn("cross entropy with its own backward", stacklevel=1)
print("loaded")


class _RowLosses(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, distribution):
        z = logits - logits.max(1, keepdim=True).values
        e = z.exp()
        s = e.sum(1, keepdim=True)
        ctx.save_for_backward(e / s, distribution)
        return (distribution * (s.log() - z)).sum(1)

    @staticmethod
    def backward(ctx, upstream):
        p, q = ctx.saved_tensors
        return upstream[:, None] * (p * q.sum(1, keepdim=True) - q), None


REDUCERS = {
    "none": lambda losses, weights: losses,
    "sum": lambda losses, weights: losses.sum(),
    "mean": lambda losses, weights: losses.sum() / weights.sum(),
}


def cross_entropy(
    logits: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> torch.Tensor:
    if reduction not in REDUCERS:
        raise ValueError(reduction)
    print("logits", tuple(logits.shape))
    classes = logits.shape[1]
    weight = torch.ones(classes, dtype=logits.dtype) if weight is None else weight
    kept = (target != ignore_index).nonzero().squeeze(1)
    q = torch.zeros_like(logits)
    q[kept] = label_smoothing / classes
    q[kept, target[kept]] += 1 - label_smoothing
    losses = _RowLosses.apply(logits, q * weight)
    return REDUCERS[reduction](losses, weight[target[kept]])
