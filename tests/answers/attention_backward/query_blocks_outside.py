"""Queries in the outer loop; what belongs to keys is added up in dictionaries of blocks."""

import torch


def attention_backward(grad_output, query, key, value, weights):
    d = query.size(-1)
    dV = torch.einsum("bhqk,bhqd->bhkd", weights, grad_output)
    dP = torch.einsum("bhqd,bhkd->bhqk", grad_output, value)
    PdP = weights * dP
    dS = (PdP - weights * PdP.sum(-1, keepdim=True)) * d**-0.5
    return torch.einsum("bhqk,bhkd->bhqd", dS, key), torch.einsum("bhqk,bhqd->bhkd", dS, query), dV


@torch.no_grad()
def flash_attention_backward(
    grad_output, query, key, value, output, logsumexp, block_size=64, is_causal=False
):
    d = query.size(-1)
    D = torch.einsum("bhqd,bhqd->bhq", grad_output, output)
    q_blocks, k_blocks = query.split(block_size, 2), key.split(block_size, 2)
    v_blocks, g_blocks = value.split(block_size, 2), grad_output.split(block_size, 2)
    l_blocks, d_blocks = logsumexp.split(block_size, 2), D.split(block_size, 2)
    dq, dk, dv = [], [0] * len(k_blocks), [0] * len(k_blocks)
    for i, (q, g, lse, dd) in enumerate(zip(q_blocks, g_blocks, l_blocks, d_blocks, strict=True)):
        total = 0
        for j, (k, v) in enumerate(zip(k_blocks, v_blocks, strict=True)):
            if is_causal and j > i:
                break
            s = torch.matmul(q, k.mT) / d**0.5 - lse[..., None]
            if is_causal and i == j:
                n = s.size(-1)
                keep = torch.arange(n, device=s.device)[:, None] >= torch.arange(n, device=s.device)
                s = torch.where(keep, s, float("-inf"))
            p = s.exp()
            ds = p * (g @ v.mT - dd[..., None]) / d**0.5
            total = total + ds @ k
            dk[j] = dk[j] + ds.mT @ q
            dv[j] = dv[j] + p.mT @ g
        dq.append(total)
    return torch.cat(dq, 2), torch.cat(dk, 2), torch.cat(dv, 2)
