"""With torch in float64, all three parts computed and one chosen."""

import torch


def cosine_lr(step, max_lr, min_lr, warmup_steps, total_steps):
    n = torch.tensor(step, dtype=torch.float64)
    rising = max_lr * n / max(warmup_steps, 1)
    progress = ((n - warmup_steps) / (total_steps - warmup_steps)).clamp(0, 1)
    falling = torch.lerp(
        torch.tensor(min_lr, dtype=torch.float64),
        torch.tensor(max_lr, dtype=torch.float64),
        (1 + torch.cos(torch.pi * progress)) / 2,
    )
    return torch.where(n < warmup_steps, rising, falling).item()
