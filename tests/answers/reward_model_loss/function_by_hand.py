"""Hand-written autograd.Function for -log sigmoid; last token as max of place times mask; ranking by
triu_indices.
"""

import torch


class _MinusLogSigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (-x).clamp(min=0).add_(x.abs().neg_().exp_().log1p_())

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return -grad * torch.sigmoid(-x)


def last_token_rewards(values, mask):
    places = torch.arange(values.shape[1], device=values.device)
    last = (places * (mask != 0)).amax(dim=1, keepdim=True)
    return torch.take_along_dim(values, last, dim=1).squeeze(1)


def reward_model_loss(chosen, rejected, margin=None, center=0.0):
    gap = chosen - rejected
    if margin is not None:
        gap = gap - margin
    loss = _MinusLogSigmoid.apply(gap).mean() + center * (chosen + rejected).square().mean()
    accuracy = (chosen.detach() > rejected.detach()).to(chosen.dtype).mean()
    return loss, accuracy


def ranking_loss(rewards):
    k = rewards.shape[1]
    better, worse = torch.triu_indices(k, k, offset=1, device=rewards.device)
    return _MinusLogSigmoid.apply(rewards[:, better] - rewards[:, worse]).mean()
