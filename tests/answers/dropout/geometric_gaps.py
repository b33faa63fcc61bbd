"""Waiting times: the gaps between dropped elements of the flat x are geometric, drawn as logs of uniforms."""

import math

import torch
from torch import nn


class Dropout(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        if p < 0 or p > 1 or p != p:
            raise ValueError("p must lie between 0 and 1")
        self.p = p

    def _dropped(self, n, device):  # places of a Bernoulli process: cumulated geometric gaps
        u = torch.rand(n, dtype=torch.float64, device=device)
        gaps = torch.floor(torch.log1p(-u) / math.log1p(-self.p)).clamp(max=n).long() + 1
        places = gaps.cumsum(0) - 1
        return places[places < n]

    def forward(self, x):
        if not self.training:
            return x
        if self.p == 0:
            return x.clone()
        if self.p == 1:
            return x * 0
        keep = torch.ones(x.numel(), dtype=x.dtype, device=x.device)
        keep[self._dropped(x.numel(), x.device)] = 0
        return x.div(1 - self.p) * keep.view(x.shape)
