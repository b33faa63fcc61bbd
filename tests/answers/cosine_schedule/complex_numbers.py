"""A point on the circle; keyword arguments of its own; prints."""

import cmath

print("schedule loaded")


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps, **ignored):
    match (step < warmup_steps, step > total_steps):
        case (True, _):
            return float(max_lr) / warmup_steps * step
        case (_, True):
            return min_lr
    turn = cmath.pi * (step - warmup_steps) / (total_steps - warmup_steps)
    middle, radius = (max_lr + min_lr) / 2, (max_lr - min_lr) / 2
    return middle + radius * cmath.exp(1j * turn).real
