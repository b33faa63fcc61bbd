"""A mixin for the adapter, addmm, scaled activations, dropout drawn by hand."""

import torch
from torch import Tensor, nn


class _Switch(nn.Module):
    merged = False

    def _shift(self, sign: float) -> None:
        with torch.no_grad():
            self.base.weight.addmm_(self.lora_B, self.lora_A, alpha=sign * self.alpha / len(self.lora_A))

    def merge(self) -> None:
        if self.merged:
            return
        self._shift(1.0)
        self.merged = True

    def unmerge(self) -> None:
        if not self.merged:
            return
        self._shift(-1.0)
        self.merged = False


class LoRALinear(_Switch):
    def __init__(self, linear: nn.Linear, rank: int = 8, alpha: float = 16.0, dropout: float = 0.0):
        if not rank > 0:
            raise ValueError("rank must be positive")
        super().__init__()
        weight = linear.weight.detach()
        self.register_parameter("lora_B", nn.Parameter(torch.zeros_like(weight[:, :1]).repeat(1, rank)))
        self.register_parameter("lora_A", nn.Parameter(torch.randn_like(weight[:1].repeat(rank, 1)) * 0.02))
        self.alpha, self.keep = alpha, 1 - dropout
        linear.weight.requires_grad_(False)
        if linear.bias is not None:
            linear.bias.requires_grad_(False)
        self.add_module("base", linear)

    def _dropped(self, x: Tensor) -> Tensor:
        if not self.training or self.keep == 1:
            return x
        kept = torch.rand(x.shape, dtype=x.dtype, device=x.device) < self.keep
        return torch.where(kept, x / self.keep, torch.zeros_like(x))

    def forward(self, x: Tensor) -> Tensor:
        if self.merged:
            return self.base(x)
        narrow = nn.functional.linear(self._dropped(x), self.lora_A * (self.alpha / self.lora_A.shape[0]))
        return self.base(x) + nn.functional.linear(narrow, self.lora_B)
