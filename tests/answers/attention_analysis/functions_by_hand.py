"""Two hand-written autograd.Functions whose gradients are spread by expand; entropy by special.entr in
float64.
"""

import torch


class _Received(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weights):
        ctx.shape = weights.shape
        return (weights.double().sum(dim=(0, 1)) / weights.shape[0]).to(weights.dtype)

    @staticmethod
    def backward(ctx, grad):
        return (grad / ctx.shape[0]).expand(ctx.shape).clone() if ctx.needs_input_grad[0] else None


class _Share(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weights):
        ctx.heads = weights.shape[0]
        return weights.diagonal(dim1=1, dim2=2).mean(dim=0)

    @staticmethod
    def backward(ctx, grad):
        if not ctx.needs_input_grad[0]:
            return None
        return torch.diag(grad / ctx.heads).repeat(ctx.heads, 1, 1)


def attention_entropy(weights):
    bits = torch.special.entr(weights.detach().double())
    return bits.sum(dim=2).mean(dim=1).to(weights.dtype)


def attention_received(weights):
    return _Received.apply(weights)


def self_attention_share(weights):
    return _Share.apply(weights)
