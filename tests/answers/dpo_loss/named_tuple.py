"""A NamedTuple for the result; one-hot labels that are nowhere hot where they are ignored."""

from typing import NamedTuple

import torch
from torch import Tensor


class DPOResult(NamedTuple):
    loss: Tensor
    chosen_reward: Tensor
    rejected_reward: Tensor


def _one_hot(labels: Tensor, vocab: int, keep: Tensor) -> Tensor:
    ids = torch.arange(vocab, device=labels.device)
    return (labels[..., None] == ids) & keep[..., None]


def sequence_log_probs(logits: Tensor, labels: Tensor, ignore_index: int = -100) -> Tensor:
    ahead, labels = logits[:, :-1, :], labels[:, 1:]
    hot = _one_hot(labels, logits.size(-1), labels.ne(ignore_index))
    normed = ahead - ahead.logsumexp(dim=-1, keepdim=True)
    return torch.einsum("btv,btv->b", normed, hot.to(normed.dtype))


def dpo_loss(
    policy_chosen: Tensor,
    policy_rejected: Tensor,
    reference_chosen: Tensor,
    reference_rejected: Tensor,
    beta: float = 0.1,
) -> DPOResult:
    d_policy = policy_chosen.sub(policy_rejected)
    d_reference = reference_chosen.sub(reference_rejected)
    z = d_policy.sub(d_reference).mul(beta)
    loss = torch.logaddexp(torch.zeros_like(z), -z).mean()
    rewards = [
        (p.detach() - r.detach()).mul_(beta)
        for p, r in ((policy_chosen, reference_chosen), (policy_rejected, reference_rejected))
    ]
    return DPOResult(loss, *rewards)
