"""The skewing of the Music Transformer: pad, reshape, cut; prints."""

import torch
import torch.nn.functional as F

print("skewing")


def _skew(x):
    """(…, seq, 2 seq - 1), columns by rising row number, to (…, seq, seq): column j of row i is i - j."""
    seq = x.shape[-2]
    x = F.pad(x.flip(-1), (0, 1))
    x = x.flatten(-2)
    x = F.pad(x, (0, seq - 1))
    return x.unflatten(-1, (seq + 1, 2 * seq - 1))[..., :seq, seq - 1 :]


def relative_key_scores(query, key, distance_embedding, use_key=False):
    seq = query.size(2)
    middle = (distance_embedding.size(0) - 1) // 2
    near = distance_embedding[middle - seq + 1 : middle + seq]
    scores = _skew(torch.einsum("bhid,rd->bhir", query, near))
    if use_key:
        # From the key's side the distance is the other way round.
        scores = scores + _skew(torch.einsum("bhjd,rd->bhjr", key, near.flip(0))).transpose(2, 3)
    return scores
