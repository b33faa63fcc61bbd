"""The last place from the flipped mask, logaddexp, a mask of pairs over the whole matrix."""

import torch
from torch import Tensor


def _loss(gaps: Tensor) -> Tensor:
    return torch.logaddexp(torch.zeros_like(gaps), -gaps)


def last_token_rewards(values: Tensor, mask: Tensor) -> Tensor:
    from_behind = mask.to(torch.int8).flip(1).argmax(1)
    rows = torch.arange(len(values), device=values.device)
    return values[rows, values.shape[1] - 1 - from_behind]


def reward_model_loss(chosen, rejected, margin=None, center=0.0):
    gaps = chosen - rejected
    with torch.no_grad():
        accuracy = torch.heaviside(gaps, gaps.new_zeros(())).mean()
    loss = _loss(gaps if margin is None else gaps - margin).mean()
    if center:
        loss = loss + center * torch.mean((chosen + rejected) ** 2)
    return loss, accuracy


def ranking_loss(rewards):
    k = rewards.shape[-1]
    gaps = rewards[:, :, None] - rewards[:, None, :]
    pairs = torch.ones(k, k, dtype=torch.bool, device=rewards.device).triu(1)
    return _loss(gaps).masked_fill(~pairs, 0).sum() / (len(rewards) * k * (k - 1) / 2)
