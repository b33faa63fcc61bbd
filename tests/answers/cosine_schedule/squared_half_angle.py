"""The half-angle formula, interpolation, and a clamp instead of branches."""

from math import cos, pi


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    if warmup_steps and step <= warmup_steps:
        return step / warmup_steps * max_lr
    done = min(1.0, (step - warmup_steps) / (total_steps - warmup_steps))
    high = cos(done * pi / 2) ** 2
    return high * max_lr + (1 - high) * min_lr
