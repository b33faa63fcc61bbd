"""A recurrent cell over (num, den) in one: a column of ones at the values makes the denominator."""

from dataclasses import dataclass
from itertools import accumulate
from operator import add

import torch
from torch import Tensor
from torch.nn import functional as F


@dataclass
class Feature:
    x: Tensor

    def __call__(self) -> Tensor:
        y = F.elu(self.x)
        y += 1
        return y


def _with_ones(v: Tensor) -> Tensor:
    return torch.cat((v, torch.ones_like(v[..., :1])), dim=-1)


def linear_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = False, epsilon: float = 1e-6) -> Tensor:
    fq, fk, v1 = Feature(q)(), Feature(k)(), _with_ones(v)
    if causal:
        outer = (
            kj.unsqueeze(-1) * vj.unsqueeze(-2) for kj, vj in zip(fk.unbind(-2), v1.unbind(-2), strict=True)
        )
        rows = [
            torch.matmul(qi.unsqueeze(-2), state).squeeze(-2)
            for qi, state in zip(fq.unbind(-2), accumulate(outer, add), strict=True)
        ]
        both = torch.stack(rows, dim=-2)
    else:
        both = torch.matmul(fq, torch.matmul(fk.mT, v1))
    numerator, denominator = both.split([v.shape[-1], 1], dim=-1)
    return numerator / (denominator + epsilon)
