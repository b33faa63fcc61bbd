"""Row by row: the distances of a query to all keys are consecutive rows of the table, read backwards."""

import torch


def relative_key_scores(query, key, distance_embedding, use_key=False):
    """Row by row: the distances of query i to the keys 0, 1, … are consecutive rows, read backwards."""
    seq = query.size(-2)
    zero = (distance_embedding.size(0) - 1) // 2
    result = []
    for i in range(seq):
        rows = distance_embedding[zero + i - seq + 1 : zero + i + 1].flip(0)  # j = 0 … seq - 1
        line = (query[:, :, i, None, :] * rows).sum(-1)
        if use_key:
            line = line + (key * rows).sum(-1)
        result.append(line)
    return torch.stack(result, dim=2)
