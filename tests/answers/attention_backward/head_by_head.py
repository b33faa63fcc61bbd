"""One head at a time, and blocks of queries against all keys that they see: rows of tiles."""

import math

import torch
import torch.nn.functional as F


def attention_backward(grad_output, query, key, value, weights):
    dq, dk, dv = torch.empty_like(query), torch.empty_like(key), torch.empty_like(value)
    scaled = key / math.sqrt(key.shape[-1])
    for b in range(query.shape[0]):
        for h in range(query.shape[1]):
            p, g = weights[b, h], grad_output[b, h]
            dp = F.linear(g, value[b, h])
            ds = _softmax(p, dp)
            dq[b, h] = ds @ scaled[b, h]
            dk[b, h] = ds.T @ query[b, h] / math.sqrt(key.shape[-1])
            dv[b, h] = p.T @ g
    return dq, dk, dv


def _softmax(p, dp):
    return torch.stack([row * (drow - row.dot(drow)) for row, drow in zip(p, dp, strict=True)])


def flash_attention_backward(
    grad_output, query, key, value, output, logsumexp, block_size=64, is_causal=False
):
    root = math.sqrt(math.sqrt(query.shape[-1]))
    q_scaled, k_scaled = query / root, key / root
    dq, dk, dv = q_scaled.new_zeros(query.shape), k_scaled.new_zeros(key.shape), torch.zeros_like(value)
    for start in range(0, query.shape[2], block_size):
        stop = min(start + block_size, query.shape[2])
        seen = stop if is_causal else key.shape[2]
        q, g = q_scaled[:, :, start:stop], grad_output[:, :, start:stop]
        k, v = k_scaled[:, :, :seen], value[:, :, :seen]
        exponent = q @ k.transpose(2, 3)
        exponent -= logsumexp[:, :, start:stop, None]
        if is_causal:
            i = torch.arange(start, stop, device=query.device).view(-1, 1)
            exponent.masked_fill_(torch.arange(seen, device=query.device) > i, -torch.inf)
        p = exponent.exp_()
        dv[:, :, :seen] += p.transpose(2, 3) @ g
        delta = torch.linalg.vecdot(g, output[:, :, start:stop]).unsqueeze(-1)
        ds = (g @ v.transpose(2, 3)).sub_(delta).mul_(p)
        dq[:, :, start:stop] = ds @ k
        dk[:, :, :seen] += ds.transpose(2, 3) @ q
    return dq / root, dk / root, dv
