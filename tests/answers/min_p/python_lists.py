"""Row by row in plain Python: odds against the best token, drawn by walking the cumulative sum."""

import math

import torch


def odds(row):
    best = max(row)
    return [math.exp(x - best) for x in row]


def min_p_filter(logits, min_p):
    if min_p < 0 or min_p > 1:
        raise ValueError(min_p)
    rows = logits.reshape(-1, logits.shape[-1])
    keep = [[share >= min_p for share in odds(row)] for row in rows.tolist()]
    mask = torch.tensor(keep, device=logits.device).reshape(logits.shape)
    return logits.masked_fill(~mask, float("-inf"))


def sample_min_p(logits, min_p, temperature=1.0, generator=None):
    if min_p < 0 or min_p > 1 or temperature < 0:
        raise ValueError("min_p or temperature")
    if temperature == 0:
        return torch.max(logits, -1)[1]
    tokens = []
    for row in min_p_filter(logits / temperature, min_p).reshape(-1, logits.shape[-1]).tolist():
        shares = odds(row)
        left = torch.rand((), generator=generator, dtype=torch.float64).item() * sum(shares)
        token = shares.index(max(shares))
        for place, share in enumerate(shares):
            if share and left < share:
                token = place
                break
            left -= share
        tokens.append(token)
    return torch.tensor(tokens).reshape(logits.shape[:-1])
