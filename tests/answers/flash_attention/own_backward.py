"""An autograd.Function that keeps the logsumexp of each row and computes the tiles again in backward."""

import math

import torch


def _tiles(q_len, kv_len, size, is_causal):
    for i in range(0, q_len, size):
        for j in range(0, min(kv_len, i + size) if is_causal else kv_len, size):
            yield slice(i, min(i + size, q_len)), slice(j, min(j + size, kv_len))


def _scores(query, key, rows, columns, is_causal):
    scores = query[:, :, rows] @ key[:, :, columns].mT / math.sqrt(query.shape[3])
    if is_causal and columns.stop > rows.start + 1:
        late = torch.arange(columns.start, columns.stop) > torch.arange(rows.start, rows.stop)[:, None]
        scores.masked_fill_(late, -math.inf)
    return scores


class _Flash(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, size, is_causal):
        top = torch.full_like(query[..., :1], -math.inf)
        total, output = torch.zeros_like(top), torch.zeros_like(query)
        for rows, columns in _tiles(query.shape[2], key.shape[2], size, is_causal):
            scores = _scores(query, key, rows, columns, is_causal)
            old = top[:, :, rows].clone()
            new = torch.maximum(old, scores.amax(-1, keepdim=True))
            exps, shrink = torch.exp(scores - new), torch.exp(old - new)
            top[:, :, rows] = new
            total[:, :, rows] *= shrink
            total[:, :, rows] += exps.sum(-1, keepdim=True)
            output[:, :, rows] *= shrink
            output[:, :, rows] += exps @ value[:, :, columns]
        output /= total
        ctx.save_for_backward(query, key, value, output, top + total.log())
        ctx.size, ctx.is_causal = size, is_causal
        return output

    @staticmethod
    def backward(ctx, grad):
        query, key, value, output, lse = ctx.saved_tensors
        grads = [torch.zeros_like(tensor) for tensor in (query, key, value)]
        rest = (grad * output).sum(-1, keepdim=True)
        scale = 1 / math.sqrt(query.shape[3])
        for rows, columns in _tiles(query.shape[2], key.shape[2], ctx.size, ctx.is_causal):
            weights = torch.exp(_scores(query, key, rows, columns, ctx.is_causal) - lse[:, :, rows])
            grads[2][:, :, columns] += weights.mT @ grad[:, :, rows]
            inner = weights * (grad[:, :, rows] @ value[:, :, columns].mT - rest[:, :, rows]) * scale
            grads[0][:, :, rows] += inner @ key[:, :, columns]
            grads[1][:, :, columns] += inner.mT @ query[:, :, rows]
        return *grads, None, None


def flash_attention(query, key, value, block_size=64, is_causal=False):
    return _Flash.apply(query, key, value, block_size, is_causal)
