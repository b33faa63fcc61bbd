"""A single uniform draw for both questions, cut into ranges; random tokens only where they are needed."""

import torch


def mask_tokens(input_ids, mask_id, vocab_size, special=None, probability=0.15, generator=None):
    draw = torch.empty(input_ids.shape, dtype=torch.float64, device=input_ids.device)
    draw.uniform_(generator=generator)
    if special is not None:
        draw[special] = 2.0
    limits = [0.8 * probability, 0.9 * probability, probability]
    kind = sum((draw >= limit).long() for limit in limits)  # 0 masked, 1 random, 2 stays, 3 not chosen
    inputs, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    labels[kind < 3] = input_ids[kind < 3]
    inputs[kind == 0] = mask_id
    count = int((kind == 1).sum())
    inputs[kind == 1] = torch.randint(
        vocab_size, (count,), generator=generator, device=input_ids.device, dtype=input_ids.dtype
    )
    return inputs, labels
