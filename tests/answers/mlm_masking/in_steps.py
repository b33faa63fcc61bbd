"""As in well-known code: Bernoulli draws from matrices of probabilities, written into copies."""

import torch


def mask_tokens(input_ids, mask_id, vocab_size, special=None, probability=0.15, generator=None):
    inputs, labels = input_ids.clone(), input_ids.clone()

    def bernoulli(matrix):
        return torch.bernoulli(matrix, generator=generator).bool()

    def constant(value):
        return torch.full(labels.shape, value, device=input_ids.device)

    chances = constant(float(probability))
    if special is not None:
        chances.masked_fill_(special, 0.0)
    chosen = bernoulli(chances)
    labels[~chosen] = -100
    replaced = bernoulli(constant(0.8)) & chosen
    inputs[replaced] = mask_id
    random = bernoulli(constant(0.5)) & chosen & ~replaced
    words = torch.randint(
        0, vocab_size, labels.shape, generator=generator, dtype=labels.dtype, device=labels.device
    )
    inputs[random] = words[random]
    return inputs, labels
