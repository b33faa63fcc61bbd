"""Rows cut from one long row of biases by advanced indexing; buckets in NumPy with digitize."""

import numpy as np
import torch


class RelativePositionBias(torch.nn.Module):
    def __init__(self, num_heads: int, max_distance: int):
        super().__init__()
        self.embedding = torch.nn.Embedding(max_distance * 2 + 1, num_heads)

    def forward(self, q_len, kv_len):
        w = self.embedding.weight.t()
        left, right = max(q_len - 1, 0), max(kv_len - 1, 0)
        middle = w.shape[1] // 2
        line = torch.cat(
            [w[:, :1].expand(-1, max(left - middle, 0)), w, w[:, -1:].expand(-1, max(right - middle, 0))], 1
        )
        zero = middle + max(left - middle, 0)
        rows = [line[:, zero - i : zero - i + kv_len] for i in range(q_len)]
        return torch.stack(rows, dim=1).unsqueeze(0)


def t5_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    r = relative_position.cpu().numpy()
    offset = np.zeros_like(r)
    if bidirectional:
        num_buckets = num_buckets // 2
        offset = np.where(r > 0, num_buckets, 0)
        r = np.abs(r)
    else:
        r = np.maximum(-r, 0)
    half = num_buckets // 2
    with np.errstate(divide="ignore"):
        log = np.log(r / half) / np.log(max_distance / half) * (num_buckets - half)
    log = np.minimum(half + np.floor(np.maximum(log, 0)), num_buckets - 1).astype(np.int64)
    return torch.as_tensor(offset + np.where(r < half, r, log), device=relative_position.device)
