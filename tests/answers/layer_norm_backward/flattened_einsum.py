from typing import NamedTuple

import torch


class Gradients(NamedTuple):
    x: torch.Tensor
    weight: torch.Tensor
    bias: torch.Tensor


def layer_norm_backward(grad_output, x, mean, rstd, weight):
    hidden = x.shape[-1]
    g, flat = grad_output.reshape(-1, hidden), x.reshape(-1, hidden)
    mu, r = mean.reshape(-1, 1), rstd.reshape(-1, 1)
    xhat = r * (flat - mu)
    first = torch.einsum("rh,h->r", g, weight) / hidden
    second = torch.einsum("rh,h,rh->r", g, weight, xhat) / hidden
    dx = r * (g * weight - first[:, None] - xhat * second[:, None])
    return Gradients(dx.view(x.shape), torch.einsum("rh,rh->h", g, xhat), g.sum(0))


@torch.no_grad()
def rms_norm_backward(grad_output, x, rstd, weight):
    hidden = x.shape[-1]
    g, xhat = grad_output.flatten(0, -2) if x.ndim > 1 else grad_output[None], (x * rstd).reshape(-1, hidden)
    second = (g * weight * xhat).mean(1, keepdim=True)
    dx = rstd.reshape(-1, 1) * torch.addcmul(g * weight, xhat, second, value=-1)
    return dx.reshape_as(x), (g * xhat).sum(0)
