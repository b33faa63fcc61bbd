import torch
from torch import nn


class Normalize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mean, rstd):
        y = (x - mean) * rstd
        ctx.save_for_backward(y, rstd)
        return y

    @staticmethod
    def backward(ctx, g):
        y, rstd = ctx.saved_tensors
        dims = (0, *range(2, g.dim()))
        return rstd * (g - g.mean(dims, True) - y * (g * y).mean(dims, True)), None, None


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.rate = eps, momentum
        self.weight, self.bias = (nn.Parameter(f(num_features)) for f in (torch.ones, torch.zeros))
        self.running_mean: torch.Tensor
        self.running_var: torch.Tensor
        for name, value in {"mean": 0.0, "var": 1.0}.items():
            self.register_buffer(f"running_{name}", torch.full((num_features,), value))

    def forward(self, x):
        extra = (None,) * (x.dim() - 2)
        if self.training:
            dims = (0, *range(2, x.dim()))
            with torch.no_grad():
                mean = torch.mean(x, dims, keepdim=True)
                var = torch.mean((x - mean).pow(2), dims, keepdim=True)
                self.running_mean = torch.lerp(self.running_mean, mean.flatten(), self.rate)
                self.running_var = torch.lerp(self.running_var, torch.var(x, dims), self.rate)
            y = Normalize.apply(x, mean, 1 / torch.sqrt(var + self.eps))
        else:
            y = x - self.running_mean[(..., *extra)]
            y = y / torch.sqrt(self.running_var + self.eps)[(..., *extra)]
        return y * self.weight[(..., *extra)] + self.bias[(..., *extra)]
