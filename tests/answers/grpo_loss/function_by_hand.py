"""Hand-written autograd.Function: the slope by log_probs is worked out in forward and saved; None for all
other arguments.
"""

import torch


def group_advantages(rewards, eps=1e-4):
    with torch.no_grad():
        x = rewards - rewards[:, :1]
        x = x - x.mean(dim=1, keepdim=True)
        std = (x.square().sum(dim=1, keepdim=True) / max(1, x.shape[1] - 1)).sqrt()
        return x / (std + eps)


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, lp, old, ref, adv, mask, low, high, beta, by_token, whole):
        m = mask.to(lp.dtype)
        length = m.sum(dim=1, keepdim=True)
        weight = m / m.sum() if by_token else m / (length * m.shape[0])
        log_ratio = lp - old
        if whole:
            log_ratio = ((log_ratio * m).sum(dim=1, keepdim=True) / length).expand_as(m)
        r = log_ratio.exp()
        a = adv.unsqueeze(1)
        kept_r = torch.where(a >= 0, r.clamp(max=1 + high), r.clamp(min=1 - low))
        d = lp - ref
        rise = torch.expm1(-d)
        loss = (weight * (beta * (rise + d) - kept_r * a)).sum()
        slope = -weight * a * r * (kept_r == r)
        if whole:
            slope = slope.sum(dim=1, keepdim=True) * m / length
        ctx.save_for_backward(slope - beta * weight * rise)
        return loss

    @staticmethod
    def backward(ctx, grad):
        (slope,) = ctx.saved_tensors
        return (grad * slope if ctx.needs_input_grad[0] else None,) + (None,) * 9


def grpo_loss(
    log_probs,
    old_log_probs,
    reference_log_probs,
    advantages,
    mask,
    clip_low=0.2,
    clip_high=0.2,
    kl_beta=0.04,
    aggregate="sequence",
    importance="token",
):
    if aggregate not in ("sequence", "token") or importance not in ("token", "sequence"):
        raise ValueError((aggregate, importance))
    return _Loss.apply(
        log_probs,
        old_log_probs,
        reference_log_probs,
        advantages,
        mask,
        clip_low,
        clip_high,
        kl_beta,
        aggregate == "token",
        importance == "sequence",
    )
