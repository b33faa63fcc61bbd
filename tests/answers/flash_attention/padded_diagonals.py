"""Pads to full blocks and does all tiles of one diagonal in a single batched product."""

import torch
import torch.nn.functional as F


def flash_attention(query, key, value, block_size=64, is_causal=False):
    q_len, kv_len, d = query.size(2), key.size(2), query.size(3)

    def blocks(x):
        x = F.pad(x, (0, 0, 0, -x.size(2) % block_size))
        return x.unflatten(2, (-1, block_size))

    q, k, v = blocks(query / d**0.5), blocks(key), blocks(value)
    n, m = q.size(2), k.size(2)
    place = torch.arange(block_size, device=query.device)
    state = (q.new_full(q.shape[:-1], -1e30), q.new_zeros(q.shape[:-1]), torch.zeros_like(q))
    for offset in range(n if is_causal else m):
        if is_causal:
            # Query block i meets key block i - offset; the first `offset` query blocks are through.
            rows, which = slice(offset, n), torch.arange(n - offset)
        else:
            rows, which = slice(0, n), (torch.arange(n) + offset) % m
        scores = q[:, :, rows] @ k.index_select(2, which).transpose(-2, -1)
        columns = which[:, None] * block_size + place
        hidden = (columns >= kv_len)[:, None, :]
        if is_causal:
            hidden = hidden | (
                columns[:, None, :] > torch.arange(rows.start, n)[:, None, None] * block_size + place[:, None]
            )
        scores = scores.masked_fill(hidden, float("-inf"))
        top, total, out = (t[:, :, rows] for t in state)
        new = torch.maximum(top, scores.amax(-1))
        exps, shrink = torch.exp(scores - new[..., None]), torch.exp(top - new)
        fresh = (
            new,
            total * shrink + exps.sum(-1),
            out * shrink[..., None] + exps @ v.index_select(2, which),
        )
        state = tuple(torch.cat([t[:, :, : rows.start], f], 2) for t, f in zip(state, fresh, strict=True))
    _, total, out = state
    return (out / total[..., None]).flatten(2, 3)[:, :, :q_len]
