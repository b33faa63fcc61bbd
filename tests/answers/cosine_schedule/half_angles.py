"""Half-angle: cos squared from the top, sin squared from the bottom; the line of the warm-up by an exact
Fraction.
"""

import math
from fractions import Fraction


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    if step < warmup_steps:
        return float(Fraction(max_lr) * Fraction(step, warmup_steps))
    done = min(Fraction(1), Fraction(step - warmup_steps, total_steps - warmup_steps))
    if done == 1:
        return float(min_lr)
    half = float(done) * math.pi / 2
    return float(math.cos(half) ** 2 * max_lr + math.sin(half) ** 2 * min_lr)
