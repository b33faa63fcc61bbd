"""Token by token in Python floats, with a backward pass of its own."""

import math

import torch

VALUES = {"k1": lambda d: d, "k2": lambda d: d * d / 2, "k3": lambda d: math.exp(-d) - 1 + d}
SLOPES = {"k1": lambda d: 1.0, "k2": lambda d: d, "k3": lambda d: 1 - math.exp(-d)}


class _Each(torch.autograd.Function):
    @staticmethod
    def forward(ctx, policy, reference, kind):
        numbers = (policy - reference).reshape(-1).tolist()
        ctx.slopes = [SLOPES[kind](number) for number in numbers]
        values = [VALUES[kind](number) for number in numbers]
        return policy.new_tensor(values).reshape(policy.shape)

    @staticmethod
    def backward(ctx, upstream):
        gradient = upstream * upstream.new_tensor(ctx.slopes).reshape(upstream.shape)
        return gradient, -gradient, None


def kl_estimate(log_probs, reference_log_probs, kind="k3"):
    if kind not in VALUES:
        raise ValueError(kind)
    return _Each.apply(log_probs, reference_log_probs, kind)
