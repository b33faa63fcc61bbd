"""An operator of its own, in a namespace of its own."""

import torch


@torch.library.custom_op("mine::exps", mutates_args=())
def _exps(x: torch.Tensor) -> torch.Tensor:
    return x.exp()


@_exps.register_fake
def _(x):
    return torch.empty_like(x)


def _backward(ctx, gradient):
    return gradient * ctx.saved_tensors[0]


_exps.register_autograd(_backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output))


def softmax(x, dim=-1):
    exps = torch.ops.mine.exps(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
