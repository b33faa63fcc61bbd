"""Kept tokens picked out first; the clipped loss as an autograd.Function; GAE by doubling windows (log
steps) instead of a loop over time.
"""

import torch


class _Clipped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, new, old, a, c):
        r = torch.exp(new - old)
        plain = r * a
        clipped = r.clamp(1 - c, 1 + c) * a
        ctx.save_for_backward(plain, plain <= clipped)
        return -torch.minimum(plain, clipped).mean()

    @staticmethod
    def backward(ctx, grad):
        plain, live = ctx.saved_tensors
        return -grad * plain * live / plain.numel(), None, None, None


def ppo_loss(log_probs, old_log_probs, advantages, mask, clip_range=0.2):
    kept = mask.bool()
    return _Clipped.apply(
        log_probs[kept], old_log_probs.detach()[kept], advantages.detach()[kept], clip_range
    )


@torch.no_grad()
def gae(rewards, values, gamma=1.0, lam=0.95):
    now = values[:, :-1].double()
    total = rewards.double() + gamma * values[:, 1:].double() - now
    steps, window, factor = total.size(1), 1, float(gamma) * float(lam)
    while window < steps:
        total[:, :-window] += factor * total[:, window:].clone()
        window, factor = 2 * window, factor * factor
    return total.to(rewards.dtype), (total + now).to(rewards.dtype)
