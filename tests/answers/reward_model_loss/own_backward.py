"""Backward by hand in an autograd.Function; a named tuple; one-hot products; reuse of the pair loss."""

from typing import NamedTuple

import torch


class _Preference(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gap):
        ctx.save_for_backward(gap)
        return gap.clamp(max=0).neg() + torch.log1p(torch.exp(-gap.abs()))

    @staticmethod
    def backward(ctx, grad):
        (gap,) = ctx.saved_tensors
        return -grad * torch.sigmoid(-gap)


class Scores(NamedTuple):
    loss: torch.Tensor
    accuracy: torch.Tensor


def last_token_rewards(values, mask):
    mask = mask.bool()
    behind = mask.flip([1]).cumsum(1).flip([1])  # how many are kept from here on
    last = mask & (behind == 1)
    return torch.where(last, values, torch.zeros_like(values)).sum(1)


def reward_model_loss(chosen, rejected, margin=None, center=0.0):
    gap = chosen - rejected - (0 if margin is None else margin)
    loss = _Preference.apply(gap).sum() / gap.numel() + center * (chosen + rejected).pow(2).mean()
    return Scores(loss, torch.sign(chosen - rejected).clamp(min=0).detach().mean())


def ranking_loss(rewards):
    k = rewards.size(1)
    parts = [_Preference.apply(rewards[:, i : i + 1] - rewards[:, i + 1 :]).sum() for i in range(k - 1)]
    return torch.stack(parts).sum() / rewards.size(0) / (k * (k - 1) // 2)
