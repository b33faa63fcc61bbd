"""Float64 inside, log space, key blocks merged by a recursive binary tree with logaddexp."""

import math

import torch


def flash_attention(query, key, value, block_size=64, is_causal=False):
    q, k, v = query.double(), key.double(), value.double()
    q_len, kv_len = q.shape[2], k.shape[2]

    def leaf(qs, start, number):
        ks, vs = (t[:, :, number * block_size : (number + 1) * block_size] for t in (k, v))
        s = torch.einsum("bhid,bhjd->bhij", qs, ks)
        if is_causal:
            rows = torch.arange(start, start + qs.shape[2], device=q.device)[:, None]
            cols = torch.arange(ks.shape[2], device=q.device)[None] + number * block_size
            s = s.masked_fill(cols > rows, -math.inf)
        lse = torch.logsumexp(s, dim=-1, keepdim=True)
        return torch.einsum("bhij,bhjd->bhid", torch.exp(s - lse), vs), lse

    def tree(qs, start, low, high):
        if high - low == 1:
            return leaf(qs, start, low)
        middle = (low + high) // 2
        o1, l1 = tree(qs, start, low, middle)
        o2, l2 = tree(qs, start, middle, high)
        both = torch.logaddexp(l1, l2)
        return o1 * torch.exp(l1 - both) + o2 * torch.exp(l2 - both), both

    parts = []
    for start in range(0, q_len, block_size):
        qs = q[:, :, start : start + block_size] / math.sqrt(q.shape[3])
        seen = start + qs.shape[2] if is_causal else kv_len
        parts.append(tree(qs, start, 0, -(-seen // block_size))[0])
    return torch.cat(parts, dim=2).to(query.dtype)
