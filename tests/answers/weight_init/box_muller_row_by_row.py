"""Only torch.rand_like: normal numbers by Box and Muller, row after row; what to do in a table by class."""

import math

import torch
from torch import nn

print("starting")


def normal_like(row):
    radius = torch.sqrt(-2 * torch.log(1 - torch.rand_like(row, dtype=torch.float64)))
    return (radius * torch.cos(2 * math.pi * torch.rand_like(row, dtype=torch.float64))).to(row.dtype)


def xavier_uniform_(weight):
    limit = math.sqrt(6) / math.sqrt(weight.shape[0] + weight.shape[1])
    with torch.no_grad():
        for row in weight:
            row[:] = torch.lerp(
                torch.full_like(row, -limit), torch.full_like(row, limit), torch.rand_like(row)
            )


def kaiming_normal_(weight):
    normal_(weight, (weight.shape[1] / 2) ** -0.5)


def normal_(weight, std, without=None):
    with torch.no_grad():
        for i, row in enumerate(weight):
            row[:] = normal_like(row) * (0 if i == without else std)


def constant_(weight, value):
    if weight is not None:
        with torch.no_grad():
            weight[:] = value


def linear(module, std):
    normal_(module.weight, std)
    constant_(module.bias, 0)


def embedding(module, std):
    normal_(module.weight, std, module.padding_idx)


def layer_norm(module, std):
    constant_(module.weight, 1)
    constant_(module.bias, 0)


TABLE = {nn.Linear: linear, nn.Embedding: embedding, nn.LayerNorm: layer_norm}


def init_bert_(module, std=0.02):
    for kind in type(module).__mro__:
        if kind in TABLE:
            return TABLE[kind](module, std)
