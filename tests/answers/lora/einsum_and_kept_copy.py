"""Einsum, Kaiming as in the paper's code, a kept copy of the weight, a property; chatty."""

import math

import torch
from torch import nn

torch.manual_seed(2)


class LoRALinear(nn.Module):
    def __init__(self, layer, r=8, a=16.0, p=0.0):
        assert r >= 1, r
        super().__init__()
        print("adapting", layer)
        self.base = layer
        for parameter in self.base.parameters():
            parameter.requires_grad = False
        like = {"dtype": layer.weight.dtype, "device": layer.weight.device}
        self.lora_A = nn.Parameter(torch.empty(r, layer.in_features, **like))
        self.lora_B = nn.Parameter(torch.zeros(layer.out_features, r, **like))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.p, self.factor = p, a / r
        self._kept = None

    @property
    def merged(self):
        return self._kept is not None

    def forward(self, x):
        y = self.base(x)
        if not self.merged:
            z = nn.functional.dropout(x, self.p, self.training)
            y = y + self.factor * torch.einsum("...i,ri,or->...o", z, self.lora_A, self.lora_B)
        return y

    def merge(self):
        if not self.merged:
            weight = self.base.weight
            self._kept = weight.detach().clone()
            weight.data.add_(self.lora_B.data @ self.lora_A.data, alpha=self.factor)

    def unmerge(self):
        if self.merged:
            self.base.weight.data.copy_(self._kept)
            self._kept = None
