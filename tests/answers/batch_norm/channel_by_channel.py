"""A loop over the channels; evaluation as one multiplication and one addition."""

import warnings

import torch

torch.manual_seed(0)


class BatchNorm(torch.nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        print("BatchNorm", num_features)
        self.weight = torch.nn.Parameter(torch.empty(num_features).fill_(1))
        self.bias = torch.nn.Parameter(torch.empty(num_features).fill_(0))
        self.register_buffer("running_mean", self.bias.detach().clone())
        self.register_buffer("running_var", self.weight.detach().clone())
        self.options = {"eps": eps, "momentum": momentum}

    def forward(self, x):
        if x.size(0) == 1:
            warnings.warn("a batch of one", stacklevel=2)
        channels = [self.channel(c, x[:, c]) for c in range(x.shape[1])]
        return torch.stack(channels, dim=1)

    def channel(self, c, values):
        if not self.training:
            scale = self.weight[c] / torch.sqrt(self.running_var[c] + self.options["eps"])
            return values * scale + (self.bias[c] - self.running_mean[c] * scale)
        mean = values.sum() / values.numel()
        squares = ((values - mean) ** 2).sum()
        self.remember(c, mean.item(), squares.item() / (values.numel() - 1))
        std = (squares / values.numel() + self.options["eps"]) ** 0.5
        return (values - mean) / std * self.weight[c] + self.bias[c]

    def remember(self, c, mean, variance):
        momentum = self.options["momentum"]
        self.running_mean[c] = self.running_mean[c] * (1 - momentum) + mean * momentum
        self.running_var[c] = self.running_var[c] * (1 - momentum) + variance * momentum
