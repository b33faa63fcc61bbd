"""Transformed numbers: uniform from the angle of a normal point (atan2), normal from log_normal_ and log,
both in float64; writes through .data.
"""

import math

import torch
from torch import nn


def _like(tensor):
    return torch.empty_like(tensor.data, dtype=torch.float64)


def _gauss_(tensor, std):
    tensor.data.copy_(_like(tensor).log_normal_(0.0, 1.0).log_() * std)


@torch.no_grad()
def xavier_uniform_(weight):
    fan_out, fan_in = weight.shape
    turn = torch.atan2(_like(weight).normal_(), _like(weight).normal_()) / math.pi
    weight.data.copy_(turn * (6.0 / (fan_in + fan_out)) ** 0.5)


@torch.no_grad()
def kaiming_normal_(weight):
    _, fan_in = weight.shape
    _gauss_(weight, (2.0 / fan_in) ** 0.5)


@torch.no_grad()
def init_bert_(module, std=0.02):
    if isinstance(module, (nn.Linear, nn.Embedding)):
        _gauss_(module.weight, std)
        if getattr(module, "bias", None) is not None and isinstance(module, nn.Linear):
            module.bias.data.zero_()
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            module.weight.data.index_fill_(
                0, torch.tensor([module.padding_idx], device=module.weight.device), 0.0
            )
    elif isinstance(module, nn.LayerNorm):
        for parameter, value in ((module.weight, 1.0), (module.bias, 0.0)):
            if parameter is not None:
                parameter.data.copy_(torch.full_like(parameter.data, value))
