"""With cross entropy for the sequences and softplus for the pairs; chatty."""

import torch
import torch.nn.functional as F

torch.manual_seed(1)
print("dpo")


def sequence_log_probs(logits, labels, ignore_index=-100):
    batch, seq, vocab = logits.shape
    losses = F.cross_entropy(
        logits[:, : seq - 1].reshape(-1, vocab),
        labels[:, 1:].reshape(-1),
        ignore_index=ignore_index,
        reduction="none",
    )
    return -losses.reshape(batch, seq - 1).sum(1)


def dpo_loss(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta=0.1):
    policy = policy_chosen - policy_rejected
    reference = reference_chosen - reference_rejected
    losses = F.softplus(beta * (reference - policy))
    with torch.no_grad():
        rewards = (
            beta * policy_chosen - beta * reference_chosen,
            beta * (policy_rejected - reference_rejected),
        )
    return (losses.sum() / losses.numel(), *rewards)
