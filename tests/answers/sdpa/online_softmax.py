"""One pass over the keys with a running maximum, in at least float32; prints, warns and seeds at import."""

import warnings

import torch

torch.manual_seed(0)
warnings.warn("streaming over the keys is slow in Python", stacklevel=1)
print("attention, one key at a time")


def scaled_dot_product_attention(query, key, value, mask=None, is_causal=False, scale=None):
    dtype = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(dtype), key.to(dtype), value.to(dtype)
    if scale is None:
        scale = q.shape[-1] ** -0.5
    lowest = torch.finfo(dtype).min
    q_len, kv_len = q.shape[-2], k.shape[-2]
    allowed = torch.ones((), dtype=torch.bool, device=q.device) if mask is None else mask
    if is_causal:
        allowed = allowed & torch.ones(q_len, kv_len, dtype=torch.bool, device=q.device).tril()
    allowed = allowed.expand(*q.shape[:-2], q_len, kv_len)

    running_max = torch.full((*q.shape[:-1], 1), lowest, dtype=dtype, device=q.device)
    total = torch.zeros_like(running_max)
    result = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=dtype, device=q.device)
    for j in range(kv_len):
        score = (q * k[..., j : j + 1, :]).sum(-1, keepdim=True) * scale
        score = torch.where(allowed[..., j : j + 1], score, lowest)
        new_max = torch.maximum(running_max, score)
        shrink, weight = (running_max - new_max).exp(), (score - new_max).exp()
        total = total * shrink + weight
        result = result * shrink + weight * v[..., j : j + 1, :]
        running_max = new_max
    print("weights summed to", tuple(total.shape))
    return (result / total).to(query.dtype)
