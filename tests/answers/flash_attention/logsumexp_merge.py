"""Each tile gives a finished attention and its logsumexp; tiles are merged by their shares."""

import math

import torch


def _tile(query, key, value, first_row, first_column, is_causal):
    scores = query @ key.transpose(2, 3) / math.sqrt(query.size(3))
    if is_causal:
        shift = first_row - first_column
        keep = torch.ones_like(scores[0, 0], dtype=torch.bool).tril(shift)
        scores = scores + torch.zeros_like(scores[0, 0]).masked_fill(~keep, -math.inf)
    lse = scores.logsumexp(-1, keepdim=True)
    return lse, torch.exp(scores - lse) @ value


def flash_attention(query, key, value, block_size=64, is_causal=False):
    done = []
    for i, rows in enumerate(query.split(block_size, 2)):
        lse = mean = None
        blocks = zip(key.split(block_size, 2), value.split(block_size, 2), strict=True)
        for j, (keys, values) in enumerate(blocks):
            if is_causal and j > i:
                break
            other_lse, other = _tile(rows, keys, values, i * block_size, j * block_size, is_causal)
            if lse is None:
                lse, mean = other_lse, other
                continue
            joint = torch.logaddexp(lse, other_lse)
            mean = torch.exp(lse - joint) * mean + torch.exp(other_lse - joint) * other
            lse = joint
        done.append(mean)
    return torch.cat(done, 2)
