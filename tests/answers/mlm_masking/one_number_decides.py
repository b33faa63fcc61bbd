"""A single float64 uniform decides everything: chosen, what becomes of it and (by its further digits) the
random token.
"""

import torch


def mask_tokens(input_ids, mask_id, vocab_size, special=None, probability=0.15, generator=None):
    u = torch.empty(input_ids.shape, dtype=torch.float64, device=input_ids.device)
    u.uniform_(0.0, 1.0, generator=generator)
    chosen = u < probability
    if special is not None:
        chosen = chosen & ~special
    share = u / max(probability, 1e-300)  # uniform in [0, 1) where chosen
    drawn = ((share - 0.8) * 10 * vocab_size).floor().clamp(0, vocab_size - 1)
    inputs = input_ids.clone()
    inputs = torch.where(chosen & (share < 0.8), torch.full_like(inputs, mask_id), inputs)
    inputs = torch.where(chosen & (share >= 0.8) & (share < 0.9), drawn.to(inputs.dtype), inputs)
    labels = torch.where(chosen, input_ids, torch.full_like(input_ids, -100))
    return inputs, labels
