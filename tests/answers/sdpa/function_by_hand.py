"""A Function with its own backward, float64 inside; saves only its inputs and the log of the denominators."""

import torch


class _Attention(torch.autograd.Function):
    @staticmethod
    def _scores(q, k, allowed, scale):
        scores = torch.einsum("...qd,...kd->...qk", q.double(), k.double()) * scale
        return scores if allowed is None else scores.masked_fill(~allowed, float("-inf"))

    @staticmethod
    def forward(ctx, q, k, v, allowed, scale):
        scores = _Attention._scores(q, k, allowed, scale)
        log_total = torch.logsumexp(scores, dim=-1, keepdim=True)
        ctx.save_for_backward(q, k, v, allowed, log_total)
        ctx.scale = scale
        return (torch.exp(scores - log_total) @ v.double()).to(q.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        q, k, v, allowed, log_total = ctx.saved_tensors
        g = grad.double()
        w = torch.exp(_Attention._scores(q, k, allowed, ctx.scale) - log_total)
        dw = g @ v.double().mT
        ds = w * (dw - (w * dw).sum(-1, keepdim=True)) * ctx.scale
        dq, dk, dv = ds @ k.double(), ds.mT @ q.double(), w.mT @ g
        return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype), None, None


def scaled_dot_product_attention(query, key, value, mask=None, is_causal=False, scale=None):
    if scale is None:
        scale = query.shape[-1] ** -0.5
    if is_causal:
        n = query.shape[-2]
        mask = torch.ones(n, n, dtype=torch.bool, device=query.device).tril()
    return _Attention.apply(query, key, value, mask, scale)
