"""Only the queries are cut into blocks: a block sees all its keys at once. Prints, warns, fills a buffer."""

import warnings

import torch

warnings.warn("a warning at import", stacklevel=1)
torch.manual_seed(0)


def flash_attention(query, key, value, block_size=64, is_causal=False):
    out = torch.empty_like(query)
    length = query.shape[-2]
    scale = torch.tensor(query.shape[-1], dtype=query.dtype).rsqrt()
    start = 0
    while start < length:
        stop = min(length, start + block_size)
        print("queries", start, "to", stop)
        seen = stop if is_causal else key.shape[-2]
        scores = scale * torch.matmul(query[:, :, start:stop], key[:, :, :seen].mT)
        if is_causal:
            hidden = torch.ones(stop - start, seen, dtype=torch.bool).triu(diagonal=start + 1)
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        exps = torch.exp(scores - scores.max(dim=-1, keepdim=True)[0])
        out[:, :, start:stop] = (exps / exps.sum(dim=-1, keepdim=True)) @ value[:, :, :seen]
        start = stop
    return out
