import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-5):
        super().__init__()
        self.bias = nn.Parameter(torch.empty(hidden_size))
        self.weight = nn.Parameter(torch.empty(hidden_size))
        self.register_buffer("eps", torch.tensor(eps, dtype=torch.float64))
        self.reset()

    @torch.no_grad()
    def reset(self):
        self.weight.fill_(1)
        self.bias.zero_()

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=(x.ndim - 1,), unbiased=False, keepdim=True)
        scale = torch.rsqrt(var + float(self.eps))
        return torch.addcmul(self.bias, (x - mean) * scale, self.weight)
