import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, x):
        columns_last = x.movedim(1, -1)
        rows = columns_last.reshape(-1, self.num_features)
        if self.training:
            self.num_batches_tracked += 1
            var, mean = torch.var_mean(rows, dim=0, unbiased=False)
            count = rows.shape[0]
            m = self.momentum
            self.running_mean.copy_((1 - m) * self.running_mean + m * mean.detach())
            self.running_var.copy_((1 - m) * self.running_var + m * var.detach() * count / (count - 1))
        else:
            mean, var = self.running_mean, self.running_var
        rows = (rows - mean) * (var + self.eps).rsqrt() * self.weight + self.bias
        return rows.reshape(columns_last.shape).movedim(-1, 1)
