"""The larger of two losses, boolean indexing at the end; a weight matrix for the advantages; chatty."""

import torch

torch.manual_seed(0)
print("ppo")


def ppo_loss(log_probs, old_log_probs, advantages, mask, clip_range=0.2):
    keep = mask.bool()
    lp, old, adv = log_probs[keep], old_log_probs[keep], advantages[keep]
    r = torch.exp(lp - old)
    plain = -adv * r
    bounded = -adv * torch.clip(r, 1.0 - clip_range, 1.0 + clip_range)
    return torch.max(plain, bounded).mean()


def gae(rewards, values, gamma=1.0, lam=0.95):
    steps = rewards.size(1)
    deltas = rewards + gamma * values[:, 1:] - values[:, :steps]
    distance = torch.arange(steps, device=rewards.device)
    ahead = distance[:, None] - distance[None, :]  # of row's step from column's
    weights = torch.where(ahead >= 0, float(gamma * lam) ** ahead.clamp(min=0), 0.0).to(rewards.dtype)
    advantages = deltas @ weights
    return advantages, values[:, :steps] + advantages
