"""Row by row with a heap and plain Python numbers; prints, warns and seeds at import."""

import heapq
import math
import warnings

import torch

torch.manual_seed(7)
warnings.warn("top-k with a heap", stacklevel=1)
print("top_k loaded")


def top_k_filter(logits, k):
    if k < 1:
        raise ValueError(f"k has to be positive: {k}")
    rows = logits.reshape(-1, logits.shape[-1])
    out = torch.empty_like(rows).fill_(-math.inf)
    for number, row in enumerate(rows.tolist()):
        for value, token in heapq.nlargest(k, ((value, token) for token, value in enumerate(row))):
            out[number, token] = value
    return out.view(logits.shape)


def sample_top_k(logits, k, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError(f"temperature has to be at least 0: {temperature}")
    rows = logits.reshape(-1, logits.shape[-1])
    draws = torch.rand(len(rows), generator=generator, dtype=torch.float64).tolist()
    tokens = []
    for row, draw in zip(rows.tolist(), draws, strict=True):
        kept = heapq.nlargest(1 if temperature == 0 else k, range(len(row)), key=row.__getitem__)
        weights = [math.exp((row[token] - row[kept[0]]) / (temperature or 1.0)) for token in kept]
        left = draw * sum(weights)
        chosen = kept[0]
        for token, weight in zip(kept, weights, strict=True):
            if left < weight:
                chosen = token
                break
            left -= weight
        tokens.append(chosen)
    print(f"drew {len(tokens)} tokens")
    return torch.tensor(tokens).reshape(logits.shape[:-1])
