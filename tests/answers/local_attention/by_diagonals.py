"""By diagonals: one shifted elementwise product for each distance, (…, seq, 2w + 1) scores, log space."""

import torch
import torch.nn.functional as F


def local_attention(query, key, value, window):
    seq, dim = query.shape[-2:]
    reach = min(window, seq - 1)
    q, k, v = query.double() / dim**0.5, key.double(), value.double()
    shifts = range(-reach, reach + 1)

    def spans(shift):  # rows of the queries and of the keys that are `shift` apart
        first, count = max(0, -shift), seq - abs(shift)
        return slice(first, first + count), slice(first + shift, first + shift + count)

    diagonals = []
    for shift in shifts:
        rows, cols = spans(shift)
        band = torch.einsum("bhsd,bhsd->bhs", q[:, :, rows], k[:, :, cols])
        diagonals.append(F.pad(band, (rows.start, seq - rows.stop), value=float("-inf")))
    scores = torch.stack(diagonals, dim=-1)
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True)).unbind(-1)
    out = torch.zeros_like(v)
    for shift, weight in zip(shifts, weights):
        rows, cols = spans(shift)
        part = weight[:, :, rows].unsqueeze(-1) * v[:, :, cols]
        out = out + F.pad(part, (0, 0, rows.start, seq - rows.stop))
    return out.to(query.dtype)
