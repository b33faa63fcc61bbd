"""Kept tokens by index_select; ratios less 1 by expm1; itertools.accumulate; a tuple of its own class."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor


class Kept(NamedTuple):
    new: Tensor
    old: Tensor
    adv: Tensor


def _select(mask: Tensor, *tensors: Tensor) -> Kept:
    places = mask.reshape(-1).nonzero().squeeze(1)
    return Kept(*(t.reshape(-1).index_select(0, places) for t in tensors))


def ppo_loss(logp: Tensor, logp_old: Tensor, adv: Tensor, keep: Tensor, eps: float = 0.2) -> Tensor:
    k = _select(keep, logp, logp_old, adv)
    ratio = torch.expm1(k.new - k.old)  # r - 1
    # -min(rA, clip(r)A) = -A - min((r-1)A, clip(r-1, ±eps)A) = max of the two losses
    losses = torch.stack((-ratio * k.adv, -F.hardtanh(ratio, -eps, eps) * k.adv))
    return losses.amax(dim=0).sub(k.adv).mean()


class Estimates(tuple):
    """(advantages, returns)"""


@torch.no_grad()
def gae(r: Tensor, v: Tensor, gamma: float = 1.0, lam: float = 0.95) -> tuple[Tensor, Tensor]:
    now, after = v.narrow(1, 0, r.shape[1]), v.narrow(1, 1, r.shape[1])
    delta = torch.addcmul(r, after, torch.ones_like(after), value=gamma).sub_(now)
    backwards = delta.flip(1).unbind(1)
    sums = list(accumulate(backwards, lambda a, d: d + gamma * lam * a))
    advantages = torch.stack(sums, 1).flip(1)
    return Estimates((advantages, advantages + now))
