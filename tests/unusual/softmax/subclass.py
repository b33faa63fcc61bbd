"""A tensor of its own kind, whose operations it handles itself, on a device of its choice."""

import torch


class _Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, operator, kinds, args=(), kwargs=None):
        plain = [item.inner if isinstance(item, cls) else item for item in args]
        return operator(*plain, **(kwargs or {}))


class _Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.device("cpu"):
            exps = torch.exp(_Wrapped(x.detach()))
        ctx.save_for_backward(exps)
        return exps

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.saved_tensors[0]


def softmax(x, dim=-1):
    exps = _Exp.apply(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - _Exp.apply(shifted).sum(dim=dim, keepdim=True).log()
