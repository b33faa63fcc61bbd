"""Loops over sequences and pairs; lists instead of tuples."""

import torch


def sequence_log_probs(logits, labels, ignore_index=-100):
    sums = []
    for rows, row_labels in zip(logits, labels.tolist(), strict=True):
        total = rows.sum() * 0
        for row, label in zip(rows[:-1], row_labels[1:], strict=True):
            if label != ignore_index:
                total = total + row[label] - torch.logsumexp(row, dim=0)
        sums.append(total)
    return torch.stack(sums)


def dpo_loss(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta=0.1):
    losses, chosen, rejected = [], [], []
    quadruples = (policy_chosen, policy_rejected, reference_chosen, reference_rejected)
    for pc, pr, rc, rr in zip(*quadruples, strict=True):
        better, worse = beta * (pc - rc), beta * (pr - rr)
        losses.append(torch.logaddexp(torch.zeros_like(better), worse - better))
        chosen.append(better.detach())
        rejected.append(worse.detach())
    return [torch.stack(losses).mean(), torch.stack(chosen), torch.stack(rejected)]
