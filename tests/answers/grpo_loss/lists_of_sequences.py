"""Sequence by sequence, each cut to its kept tokens; groups in a loop."""

import torch


def group_advantages(rewards, eps=1e-4):
    out = torch.zeros_like(rewards)
    for i, group in enumerate(rewards):
        if len(group) > 1:
            out[i] = (group - torch.mean(group)) / (torch.std(group) + eps)
    return out


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
    if aggregate not in {"sequence", "token"} or importance not in {"sequence", "token"}:
        raise ValueError(aggregate, importance)
    collected = []
    for i in range(len(mask)):
        keep = mask[i] != 0
        new, old, ref = log_probs[i][keep], old_log_probs[i][keep], reference_log_probs[i][keep]
        shift = new - old
        if importance == "sequence":
            # GSPO-token: with one advantage for the sequence its gradient is the same.
            shift = shift - shift.detach() + shift.detach().mean()
        ratio = shift.exp()
        bounded = torch.where(
            advantages[i] >= 0, ratio.clamp(max=1 + clip_high), ratio.clamp(min=1 - clip_low)
        )
        gap = ref - new
        collected.append(-bounded * advantages[i] + kl_beta * (gap.exp() - gap - 1))
    if aggregate == "token":
        return torch.cat(collected).mean()
    return torch.stack([one.mean() for one in collected]).mean()
