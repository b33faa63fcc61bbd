"""Products with all rows of the table first, then gather: no (seq, seq, head_dim) tensor."""

import torch


def relative_key_scores(query, key, distance_embedding, use_key=False):
    batch, heads, seq, _ = query.shape
    middle = distance_embedding.shape[0] // 2
    i = torch.arange(seq, device=query.device).view(-1, 1)
    column = (i - i.T + middle).expand(batch, heads, seq, seq)
    scores = (query @ distance_embedding.T).gather(-1, column)
    if not use_key:
        return scores
    of_keys = (key @ distance_embedding.T).transpose(-1, -2)  # (batch, heads, row, j)
    return scores + of_keys.gather(-2, column)
