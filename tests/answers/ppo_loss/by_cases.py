"""By the sign of the advantage, with torch.where; steps as lists, stacked at the end."""

import torch


def ppo_loss(log_probs, old_log_probs, advantages, mask, clip_range=0.2):
    weight = mask.to(log_probs.dtype)
    ratio = torch.exp(log_probs - old_log_probs.detach())
    above = torch.clamp(ratio, max=1 + clip_range)
    below = torch.clamp(ratio, min=1 - clip_range)
    gain = torch.where(advantages > 0, above, below) * advantages
    return torch.einsum("bs,bs->", gain, -weight / weight.sum())


def gae(rewards, values, gamma=1.0, lam=0.95):
    collected, after = [], 0.0
    for t in range(rewards.shape[1] - 1, -1, -1):
        after = rewards[:, t] + gamma * values[:, t + 1] - values[:, t] + gamma * lam * after
        collected.insert(0, after)
    advantages = torch.stack(collected, dim=1)
    return [advantages, advantages + values[:, :-1]]
