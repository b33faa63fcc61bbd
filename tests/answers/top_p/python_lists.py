"""Row by row in plain Python, drawn by walking the cumulative sum; prints, warns and seeds at import."""

import math
import warnings

import torch

torch.manual_seed(99)
warnings.warn("sampling in Python lists", stacklevel=1)
print("top_p loaded")


def nucleus(row, p):
    """Token ids, most probable first, with their probabilities in the whole row."""
    highest = max(row)
    exponentials = [math.exp(x - highest) for x in row]
    total = sum(exponentials)
    kept, reached = [], 0.0
    for token in sorted(range(len(row)), key=row.__getitem__, reverse=True):
        if reached >= p and p < 1:
            break
        kept.append((token, exponentials[token] / total))
        reached += exponentials[token] / total
    return kept


def top_p_filter(logits, p):
    if p <= 0 or p > 1:
        raise ValueError(f"bad p: {p}")
    rows = logits.reshape(-1, logits.shape[-1])
    result = torch.full_like(rows, -math.inf)
    for r, row in enumerate(rows.tolist()):
        for token, _ in nucleus(row, p):
            result[r, token] = rows[r, token]
    return result.reshape(logits.shape)


def sample_top_p(logits, p, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError(f"bad temperature: {temperature}")
    rows = logits.reshape(-1, logits.shape[-1])
    if temperature == 0:
        greedy = [max(range(len(row)), key=row.__getitem__) for row in rows.tolist()]
        return torch.tensor(greedy).reshape(logits.shape[:-1])
    if not 0 < p <= 1:
        raise ValueError(f"bad p: {p}")
    draws = torch.rand(rows.shape[0], generator=generator, dtype=torch.float64).tolist()
    tokens = []
    for row, draw in zip((rows / temperature).tolist(), draws, strict=True):
        kept = nucleus(row, p)
        left = draw * sum(probability for _, probability in kept)
        for token, probability in kept:  # noqa: B007
            left -= probability
            if left < 0:
                break
        tokens.append(token)
    print("drew", len(tokens))
    return torch.tensor(tokens).reshape(logits.shape[:-1])
