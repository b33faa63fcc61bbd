"""One diagonal of the scores after the other, in float64, written into a tensor of zeros."""

import torch


def relative_key_scores(query, key, distance_embedding, use_key=False):
    b, h, n, _ = query.shape
    table = distance_embedding.double()
    zero = table.shape[0] // 2
    scores = torch.zeros(b, h, n, n, dtype=torch.float64, device=query.device)
    for distance in range(-(n - 1), n):
        i = torch.arange(max(distance, 0), min(n, n + distance), device=query.device)
        vectors = query[:, :, i].double()
        if use_key:
            vectors = vectors + key[:, :, i - distance].double()
        scores[:, :, i, i - distance] = vectors @ table[zero + distance]
    return scores.type_as(query)
