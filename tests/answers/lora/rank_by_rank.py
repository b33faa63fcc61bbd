"""The adapter as a sum of outer products, rank by rank; the base by hand; buffers for what is kept."""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, linear, rank=8, alpha=16.0, dropout=0.0):
        super().__init__()
        if rank <= 0:
            raise ValueError(f"no adapter of rank {rank}")
        self.base = linear.requires_grad_(False)
        out_features, in_features = linear.weight.size()
        self.lora_A = nn.Parameter(torch.rand(rank, in_features).to(linear.weight) + 0.01)
        self.lora_B = nn.Parameter(torch.zeros(out_features, rank).to(linear.weight))
        self.drop = nn.Dropout(p=dropout)
        self.scale = alpha / rank
        self.merged = False
        self.register_buffer("_backup", None, persistent=False)

    def forward(self, x):
        out = nn.functional.linear(x, self.base.weight, self.base.bias)
        if self.merged is False:
            x = self.drop(x)
            for row, column in zip(self.lora_A, self.lora_B.unbind(dim=1), strict=True):
                out = out + self.scale * (x * row).sum(-1, keepdim=True) * column
        return out

    @torch.no_grad()
    def merge(self):
        if not self.merged:
            self._backup = self.base.weight.clone()
            for i in range(self.lora_A.shape[0]):
                self.base.weight.add_(torch.outer(self.lora_B[:, i], self.lora_A[i]), alpha=self.scale)
        self.merged = True

    @torch.no_grad()
    def unmerge(self):
        if self.merged:
            self.base.weight.copy_(self._backup)
        self.merged = False
