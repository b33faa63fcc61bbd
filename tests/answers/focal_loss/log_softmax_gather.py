"""log_softmax and gather; the complement of p_t by expm1."""

import torch
import torch.nn as nn


class _Focal(nn.Module):
    def __init__(self, alpha=None, gamma=2.0, reduction="mean"):
        super().__init__()
        assert reduction in ("mean", "sum", "none"), f"{reduction=}"
        self.alpha, self.gamma, self.reduction = alpha, gamma, reduction

    def forward(self, logits, target):
        logpt = nn.LogSoftmax(dim=-1)(logits).gather(-1, target.view(-1, 1)).view(-1)
        loss = -((-torch.expm1(logpt)).pow(self.gamma)) * logpt
        if torch.is_tensor(self.alpha):
            loss = loss * self.alpha.gather(0, target)
        elif self.alpha is not None:
            loss = loss * self.alpha
        return loss if self.reduction == "none" else getattr(loss, self.reduction)()


def focal_loss(logits, target, alpha=None, gamma=2.0, reduction="mean"):
    return _Focal(alpha, gamma, reduction)(logits, target)
