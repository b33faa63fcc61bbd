"""An autograd.Function for -log sigmoid; sequence by sequence, token by token sums with logsumexp."""

import torch


def sequence_log_probs(logits, labels, ignore_index=-100):
    sums = []
    for rows, names in zip(logits.unbind(0), labels.unbind(0)):
        total = logits.new_zeros(())
        for t in range(1, names.size(0)):
            y = int(names[t])
            if y != ignore_index:
                row = rows[t - 1]
                top = row.detach().max()
                total = total + (row[y] - top) - torch.logsumexp(row - top, dim=0)
        sums.append(total)
    return torch.stack(sums)


class _Cost(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return torch.log1p(torch.exp(-z.abs())) + (-z).clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        (z,) = ctx.saved_tensors
        return -grad * torch.sigmoid(-z)


def dpo_loss(policy_chosen, policy_rejected, reference_chosen, reference_rejected, beta=0.1):
    gain = policy_chosen - reference_chosen.detach()
    loss_side = policy_rejected - reference_rejected.detach()
    rows = _Cost.apply((gain - loss_side) * beta)
    return rows.sum() / rows.numel(), gain.detach() * beta, loss_side.detach() * beta
