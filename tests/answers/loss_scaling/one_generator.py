"""Dynamic loss scaling with one generator that runs through the life of the scale."""

from collections.abc import Generator

import torch


def _life(scale: float, growth: float, backoff: float, interval: int) -> Generator[float, bool, None]:
    while True:
        for _ in range(interval):
            skipped = yield scale
            if skipped:
                scale *= backoff
                break
        else:
            grown = scale * growth
            scale = grown if grown <= torch.finfo(torch.float32).max else scale


class LossScaler:
    """Subclass-friendly: `_divide` is the only method that touches gradients."""

    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000):
        self._scales = _life(float(init_scale), growth_factor, backoff_factor, growth_interval)
        self.current = next(self._scales)
        self._skips = 0

    def scale(self, loss: torch.Tensor) -> torch.Tensor:
        factor = torch.full_like(loss, self.current, requires_grad=False)
        return loss * factor

    def _divide(self, optimizer) -> bool:
        bad = 0
        for p in (p for group in optimizer.param_groups for p in group["params"]):
            if p.grad is not None:
                quotient = p.grad.detach().true_divide(self.current)
                bad += quotient.numel() - int(torch.isfinite(quotient).sum())
                p.grad = quotient
        return bad == 0

    def step(self, optimizer) -> bool:
        made = self._divide(optimizer)
        if made:
            optimizer.step()
        else:
            self._skips += 1
        return made

    def update(self) -> None:
        self.current = self._scales.send(self._skips > 0)
        self._skips = 0
