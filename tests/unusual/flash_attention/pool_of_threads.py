"""Each block of queries in a thread of a pool that is there from the beginning."""

import math
from concurrent.futures import ThreadPoolExecutor

import torch

_pool = ThreadPoolExecutor(3)


def flash_attention(query, key, value, block_size=64, is_causal=False):
    scaled = query / math.sqrt(query.shape[-1])

    def one_block(start):
        block = scaled[:, :, start : start + block_size]
        return _one_block(block, start, key, value, block_size, is_causal)

    return torch.cat(list(_pool.map(one_block, range(0, query.shape[2], block_size))), dim=2)


def _one_block(block, start, key, value, block_size, is_causal):
    largest = block.new_full((*block.shape[:3], 1), -math.inf)
    total, output = torch.zeros_like(largest), torch.zeros_like(block)
    end = start + block.shape[2] if is_causal else key.shape[2]
    for first in range(0, end, block_size):
        last = min(first + block_size, end)
        scores = block @ key[:, :, first:last].transpose(-2, -1)
        if is_causal and last > start:
            late = torch.arange(first, last) > torch.arange(start, end)[:, None]
            scores = scores.masked_fill(late, -math.inf)
        higher = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        weights, kept = torch.exp(scores - higher), torch.exp(largest - higher)
        total = total * kept + weights.sum(dim=-1, keepdim=True)
        output = output * kept + weights @ value[:, :, first:last]
        largest = higher
    return output / total
