"""Runs every expert on every token, in an operator of its own."""

import torch
from parts.experts_everywhere import MoE


@torch.library.custom_op("mine::product", mutates_args=())
def _product(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x @ weight.T


def _backward(ctx, gradient):
    x, weight = ctx.saved_tensors
    return gradient @ weight, gradient.T @ x


_product.register_autograd(
    _backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs)
)
