"""Both sides added before one product with the rows, by broadcasting and a sum."""

import torch


def relative_key_scores(query, key, distance_embedding, use_key=False):
    n = query.shape[-2]
    size = distance_embedding.shape[0] // 2
    rows = torch.stack(
        [distance_embedding[size - torch.arange(n, device=query.device) + i] for i in range(n)]
    )
    sides = query[:, :, :, None, :] + (key[:, :, None, :, :] if use_key else 0)
    return (sides * rows).sum(-1).expand(-1, -1, n, n)
