"""Dynamic loss scaling: gradients in half precision that neither vanish nor overflow.

From "Mixed Precision Training" (Micikevicius et al., 2017). Forbidden: torch.amp.GradScaler (and those of
torch.cuda.amp and the like), and the torch._amp_* operators behind it.
"""

import torch
from torch import Tensor


class LossScaler:
    """The scale by which a loss is multiplied before backward, kept as large as it can be.

        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    `current` is the scale at present, a Python float, for others to read. The rules are those of
    torch.amp.GradScaler, as far as they are said here.
    """

    current: float

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
    ) -> None:
        """The scale begins at init_scale. growth_interval: at least 1."""
        self.current = init_scale
        self.growth_factor = growth_factor
        self.backoff_factor = backoff_factor
        self.growth_interval = growth_interval
        self._good_updates = 0
        self._skipped = False

    def scale(self, loss: Tensor) -> Tensor:
        """The loss times the present scale, in its own shape, dtype and device, with its gradients.

        The loss, float32 or float64, is not modified, be it a leaf or not.
        """
        return loss * self.current

    def step(self, optimizer: torch.optim.Optimizer) -> bool:
        """Step with the gradients divided by the present scale, or skip the step; whether it was made.

        optimizer: has `param_groups`, dicts whose "params" are lists of parameters; a group may be added
            between updates. Each has its gradient in .grad, or None there, but one at least has one. The
            optimizer's own step() is called once, with no arguments, when the divided gradients are in .grad,
            and None where None was (such a parameter is left alone, zeros may move it); it is not called when
            any of them has an inf, -inf or NaN. (None that is finite becomes infinite by the division.)

        Gradients that are large and finite are no reason to skip, whatever their sum is. What is in the
        gradients after a skipped step is free. step does not change the scale. Between two updates it is
        called at most once for an optimizer; there may be several optimizers, each of which steps or skips
        for its own gradients only. Gradients have the dtype of their parameters, float32 or float64.
        """
        grads = [
            param.grad
            for group in optimizer.param_groups
            for param in group["params"]
            if param.grad is not None
        ]
        # An inf stays inf when it is divided, so it does not matter when one looks.
        if not all(bool(grad.isfinite().all()) for grad in grads):
            self._skipped = True
            return False
        for grad in grads:
            grad.div_(self.current)
        optimizer.step()
        return True

    def update(self) -> None:
        """Set the scale for the next loss. Comes after the steps of all optimizers, one at least.

        If any step since the last update was skipped: the scale times backoff_factor. If none was, and this
        is the growth_interval-th such update in a row: times growth_factor, and the row begins anew. A
        skipped step ends a row, too. The scale stays far from the limits of float32.
        """
        if self._skipped:
            self.current *= self.backoff_factor
            self._good_updates = 0
        else:
            self._good_updates += 1
            if self._good_updates == self.growth_interval:
                self.current *= self.growth_factor
                self._good_updates = 0
        self._skipped = False
