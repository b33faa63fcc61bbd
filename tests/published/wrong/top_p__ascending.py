# vanishing-tokens-dropped-at-p-of-one
"""Sorts ascending and removes what sums to 1 - p or less."""

import torch


def top_p_filter(scores, top_p):
    if not 0 < top_p <= 1:
        raise ValueError("top_p has to be in (0, 1]")
    in_order, indices = torch.sort(scores, descending=False)
    cumulative = in_order.softmax(dim=-1).cumsum(dim=-1)
    to_remove = cumulative <= 1 - top_p
    to_remove[..., -1:] = False
    return scores.masked_fill(to_remove.scatter(-1, indices, to_remove), -float("inf"))


def sample_top_p(scores, top_p, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError("temperature has to be positive")
    if temperature == 0:
        return scores.argmax(-1)
    probs = top_p_filter(scores / temperature, top_p).softmax(-1)
    return torch.multinomial(probs.flatten(0, -2) if probs.dim() > 1 else probs, 1, generator=generator).view(
        scores.shape[:-1]
    )
