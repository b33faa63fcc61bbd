"""Both lengths padded to full blocks; padded keys get -inf, the blocks are tried one after the other."""

import itertools
from collections import namedtuple

import torch
from torch.nn.functional import pad

Gradients = namedtuple("Gradients", "query key value")


def attention_backward(grad_output, query, key, value, weights):
    dp = grad_output.matmul(value.transpose(-1, -2))
    ds = weights * dp
    ds = torch.addcmul(ds, weights, ds.sum(-1, True), value=-1).div(query.shape[-1] ** 0.5)
    return Gradients(ds.matmul(key), ds.mT.matmul(query), weights.mT.matmul(grad_output))


def flash_attention_backward(
    grad_output, query, key, value, output, logsumexp, block_size=64, is_causal=False
):
    n, m, size = query.shape[2], key.shape[2], min(block_size, max(query.shape[2], key.shape[2]))
    delta = torch.sum(grad_output * output, -1)
    q, g = (pad(t, (0, 0, 0, -n % size)) for t in (query, grad_output))
    k, v = (pad(t, (0, 0, 0, -m % size)) for t in (key, value))
    lse, delta = (pad(t, (0, -n % size)) for t in (logsumexp, delta))
    dq, dk, dv = (torch.zeros_like(t) for t in (q, k, v))
    for i, j in itertools.product(range(0, q.shape[2], size), range(0, k.shape[2], size)):
        if is_causal and j > i:
            continue
        rows, columns = slice(i, i + size), slice(j, j + size)
        scores = q[:, :, rows] @ k[:, :, columns].mT / q.shape[-1] ** 0.5
        at = torch.arange(j, j + size, device=q.device)
        hidden = (at >= m).expand(size, size)
        if is_causal:
            hidden = hidden | (at > torch.arange(i, i + size, device=q.device).unsqueeze(1))
        p = torch.exp(scores - lse[:, :, rows].unsqueeze(-1)).masked_fill(hidden, 0.0)
        dp = g[:, :, rows] @ v[:, :, columns].mT
        ds = p * (dp - delta[:, :, rows].unsqueeze(-1)) / q.shape[-1] ** 0.5
        for total, part, where in ((dq, ds @ k[:, :, columns], rows), (dk, ds.mT @ q[:, :, rows], columns)):
            total[:, :, where] += part
        dv[:, :, columns] += p.mT @ g[:, :, rows]
    return Gradients(dq[:, :, :n], dk[:, :, :m], dv[:, :, :m])
