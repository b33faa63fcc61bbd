"""One matrix of weights for both averages; the larger of two losses; chatty."""

import torch

torch.manual_seed(4)
print("grpo")

AGGREGATES = {
    "sequence": lambda keep: keep / keep.sum(1, keepdim=True) / keep.shape[0],
    "token": lambda keep: keep / keep.sum(),
}


def group_advantages(rewards, eps=1e-4):
    mean = rewards.mean(-1, keepdim=True)
    n = rewards.shape[-1]
    variance = ((rewards - mean) ** 2).sum(-1, keepdim=True) / max(n - 1, 1)
    return (rewards - mean) / (variance**0.5 + eps)


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
    assert aggregate in AGGREGATES and importance in ("token", "sequence")
    keep = mask.to(log_probs.dtype)
    r = log_probs - old_log_probs
    if importance == "sequence":
        r = torch.einsum("ns,ns->n", r, keep / keep.sum(1, keepdim=True))[:, None].expand(mask.shape)
    r, a = torch.exp(r), advantages[:, None]
    policy = torch.max(-a * r, -a * torch.clip(r, 1 - clip_low, 1 + clip_high))
    q = reference_log_probs - log_probs
    penalty = torch.expm1(q) - q
    return (AGGREGATES[aggregate](keep) * (policy + kl_beta * penalty)).sum()
