"""The learning rate's schedule of most language models: linear warm-up, then half a cosine down.

The cosine is from "SGDR: Stochastic Gradient Descent with Warm Restarts" (Loshchilov and Hutter, 2016), here
without restarts. Forbidden: torch.optim, its schedulers too.
"""

import math


def cosine_lr(step: int, max_lr: float, min_lr: float, warmup_steps: int, total_steps: int) -> float:
    """The learning rate in a step, counted from 0, as a Python float.

    Warm-up: a straight line from 0 in step 0 to max_lr in step warmup_steps.
    Then: half a wave of a cosine, from max_lr in step warmup_steps down to min_lr in step total_steps; in the
    middle between the two steps it is in the middle between the two rates.
    From total_steps on: min_lr.

    warmup_steps is less than total_steps, and may be 0: then step 0 has max_lr. max_lr and min_lr are floats,
    min_lr from 0 to max_lr. Right to nine digits of max_lr, as Python's floats are, and not torch's float32.
    (With warmup_steps=0 it is torch.optim.lr_scheduler.CosineAnnealingLR, up to its end.)
    """
    if step < warmup_steps:
        return max_lr * step / warmup_steps
    if step >= total_steps:
        return min_lr  # a cosine that went on would rise again
    progress = (step - warmup_steps) / (total_steps - warmup_steps)  # 0 to 1
    share = 0.5 * (1 + math.cos(math.pi * progress))  # 1 to 0
    return min_lr + (max_lr - min_lr) * share
