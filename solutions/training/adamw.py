"""AdamW: steps of about one size for every parameter, and weight decay that is no part of the gradient.

From "Decoupled Weight Decay Regularization" (Loshchilov and Hutter, 2017).
Forbidden: torch.optim and the fused optimizer operators (torch._fused_adamw_ and kin). torch._foreach_* is
allowed.
"""

from collections.abc import Iterable

import torch
from torch import Tensor


class AdamW:
    """The same steps as torch.optim.AdamW (without amsgrad), for one group of parameters."""

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        """Makes no step and leaves the parameters as they are.

        params: tensors in a list, or in an iterator such as model.parameters() gives: it can be walked only
            once. All are float32 or all float64, of any shape, 0-dimensional and non-contiguous ones too.
        betas: how much of the old stays at each step in the running averages of the gradient and of its
            square. Both averages start at zero, and are corrected for that; in a second optimizer over the
            same tensors they start anew.
        """
        self.params = list(params)
        self.lr = lr
        self.betas = betas
        self.eps = eps
        self.weight_decay = weight_decay
        self.states: list[dict] = [{} for _ in self.params]

    def step(self) -> None:
        """Update every parameter that has a gradient (`.grad`), which stays as it is. It may be written over
        before the next step.

        A parameter whose gradient is None is skipped: it stays as it is, is not decayed, and its count of
        steps and its averages do not go on. A gradient of zeros is a gradient.

        The caller's own tensors change, in place or through .data. They stay leaves that require gradients;
        step is called with gradients enabled, and autograd does not record the update. Nothing is made on
        the default device where the parameters are on another one.
        """
        beta1, beta2 = self.betas
        for param, state in zip(self.params, self.states, strict=True):
            if param.grad is None:
                continue
            if not state:
                state.update(step=0, exp_avg=torch.zeros_like(param), exp_avg_sq=torch.zeros_like(param))
            state["step"] += 1
            with torch.no_grad():
                # Beside the gradient and not in it: sqrt(exp_avg_sq) would divide the decay as well.
                param.mul_(1 - self.lr * self.weight_decay)
                state["exp_avg"].mul_(beta1).add_(param.grad, alpha=1 - beta1)
                state["exp_avg_sq"].mul_(beta2).addcmul_(param.grad, param.grad, value=1 - beta2)
                # Both start at zero, which makes them too small at first.
                exp_avg = state["exp_avg"] / (1 - beta1 ** state["step"])
                exp_avg_sq = state["exp_avg_sq"] / (1 - beta2 ** state["step"])
                param.sub_(self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps))

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to None."""
        for param in self.params:
            param.grad = None
