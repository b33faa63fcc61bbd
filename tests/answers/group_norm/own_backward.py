import torch
from torch import nn


class Normalize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        var, mean = torch.var_mean(x, dim=(2, 3), unbiased=False, keepdim=True)
        rstd = 1 / torch.sqrt(var + eps)
        y = (x - mean) * rstd
        ctx.save_for_backward(y, rstd)
        return y

    @staticmethod
    def backward(ctx, g):
        y, rstd = ctx.saved_tensors
        return rstd * (g - g.mean((2, 3), True) - y * (g * y).mean((2, 3), True)), None


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5):
        super().__init__()
        if num_groups * (num_channels // num_groups) != num_channels:
            raise ValueError("groups")
        self.options = num_groups, eps
        self.weight, self.bias = (nn.Parameter(make(num_channels)) for make in (torch.ones, torch.zeros))

    def forward(self, x):
        print(x.shape)
        groups, eps = self.options
        y = Normalize.apply(x.reshape(x.shape[0], groups, x.shape[1] // groups, -1), eps).reshape(x.shape)
        places = (slice(None), *[None] * (x.ndim - 2))
        return torch.addcmul(self.bias[places], y, self.weight[places])
