"""A backward pass of its own; returns first, by the recursion of TD(lambda)."""

import torch


class _Clipped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, log_probs, old, adv, keep, width):
        ratio = (log_probs - old).exp()
        stopped = ((adv > 0) & (ratio > 1 + width)) | ((adv < 0) & (ratio < 1 - width))
        bounded = ratio.clamp(1 - width, 1 + width)
        total = keep.sum()
        ctx.save_for_backward(torch.where(stopped, 0.0, ratio * adv) * keep / total)
        return -(torch.where(stopped, bounded, ratio) * adv * keep).sum() / total

    @staticmethod
    def backward(ctx, upstream):
        (slope,) = ctx.saved_tensors
        return -upstream * slope, None, None, None, None


def ppo_loss(log_probs, old_log_probs, advantages, mask, clip_range=0.2):
    return _Clipped.apply(log_probs, old_log_probs, advantages, mask.to(log_probs), clip_range)


def gae(rewards, values, gamma=1.0, lam=0.95):
    returns = rewards.clone()
    follow = values[:, -1].clone()
    for t in range(rewards.shape[1])[::-1]:
        mixed = (1 - lam) * values[:, t + 1] + lam * follow
        follow = rewards[:, t] + gamma * mixed
        returns[:, t] = follow
    return returns - values[:, :-1], returns
