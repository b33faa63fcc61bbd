import torch
from torch import nn


class Normalize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        centered = x - torch.mean(x, -1, True)
        rstd = 1 / torch.sqrt(torch.mean(centered * centered, -1, True) + eps)
        y = centered * rstd
        ctx.save_for_backward(y, rstd)
        return y

    @staticmethod
    def backward(ctx, g):
        y, rstd = ctx.saved_tensors
        return rstd * (g - g.mean(-1, True) - y * (g * y).mean(-1, True)), None


class LayerNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-5):
        super().__init__()
        self.weight, self.bias = (nn.Parameter(f(hidden_size)) for f in (torch.ones, torch.zeros))
        self.variance_epsilon = eps

    def forward(self, x):
        return Normalize.apply(x, self.variance_epsilon).mul(self.weight).add(self.bias)
