"""The gradient by hand, attached to the value; no unsqueeze of advantages, but transposed tensors."""

import torch


def group_advantages(rewards, eps=1e-4):
    columns = rewards.T
    centred = columns - columns.mean(0)
    if len(columns) == 1:
        return torch.zeros_like(rewards)
    return (centred / (columns.var(0).sqrt() + eps)).T


class _Attached(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, value, slope):
        ctx.save_for_backward(slope)
        return value.clone()

    @staticmethod
    def backward(ctx, upstream):
        return upstream * ctx.saved_tensors[0], None, None


def _weights(mask, aggregate):
    lengths = mask.sum(0)
    if aggregate == "token":
        return mask / lengths.sum()
    if aggregate == "sequence":
        return mask / lengths / len(lengths)
    raise ValueError(f"aggregate is {aggregate}")


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
    with torch.no_grad():
        keep = mask.T.to(log_probs)
        new, old, ref = log_probs.T, old_log_probs.T, reference_log_probs.T
        weights = _weights(keep, aggregate)
        share = keep / keep.sum(0)
        match importance:
            case "token":
                ratio = (new - old).exp()
            case "sequence":
                ratio = ((new - old) * share).sum(0).exp().expand_as(new)
            case _:
                raise ValueError(f"importance is {importance}")
        stopped = torch.where(advantages > 0, ratio > 1 + clip_high, ratio < 1 - clip_low)
        bounded = torch.where(stopped, ratio.clamp(1 - clip_low, 1 + clip_high), ratio)
        gap = ref - new
        value = (weights * (kl_beta * (gap.exp() - 1 - gap) - bounded * advantages)).sum()
        push = torch.where(stopped, 0.0, -ratio * advantages) * weights
        if importance == "sequence":
            push = push.sum(0) * share
        slope = push + weights * kl_beta * (1 - gap.exp())
    return _Attached.apply(log_probs, value, slope.T)
