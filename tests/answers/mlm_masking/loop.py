"""A loop over the texts, random tokens from uniform numbers, a multinomial draw of what becomes of each."""

import torch


def mask_tokens(input_ids, mask_id, vocab_size, special=None, probability=0.15, generator=None):
    device = input_ids.device
    weights = torch.tensor([0.8, 0.1, 0.1], device=device)
    inputs, labels = [], []
    for number, row in enumerate(input_ids):
        chosen = torch.rand(len(row), device=device, generator=generator) < probability
        if special is not None:
            chosen = chosen.logical_and(special[number].logical_not())
        kinds = torch.multinomial(weights, len(row), replacement=True, generator=generator)
        words = torch.rand(len(row), device=device, generator=generator, dtype=torch.float64) * vocab_size
        candidates = torch.stack([torch.full_like(row, mask_id), words.floor().to(row.dtype), row])
        picked = candidates.gather(0, kinds[None])[0]
        inputs.append(torch.where(chosen, picked, row))
        labels.append(row.where(chosen, torch.full_like(row, -100)))
    return torch.stack(inputs), torch.stack(labels)
