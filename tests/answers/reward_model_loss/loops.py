"""Loops over rows and pairs, softplus, chatty."""

import itertools

import torch
import torch.nn.functional as F

print("rewards")
torch.manual_seed(1)


def last_token_rewards(v, m):
    rewards = []
    for row, kept in zip(v, m, strict=True):
        place = len(kept) - 1
        while not kept[place]:
            place -= 1
        rewards.append(row[place])
    return torch.stack(rewards)


def reward_model_loss(good, bad, margin=None, center=0.0):
    total, right = 0, 0
    for i in range(len(good)):
        gap = good[i] - bad[i]
        if margin is not None:
            gap = gap - (margin[i] if isinstance(margin, torch.Tensor) else margin)
        total = total + F.softplus(-gap) + center * (good[i] + bad[i]) ** 2
        right += int(good[i] > bad[i])
    return total / len(good), good.new_tensor(right / len(good))


def ranking_loss(rewards):
    losses = []
    for row in rewards:
        losses += [F.softplus(worse - better) for better, worse in itertools.combinations(row, 2)]
    return torch.stack(losses).mean()
