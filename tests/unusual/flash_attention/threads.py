"""Each block of queries in a thread of its own."""

import math
import threading

import torch


def flash_attention(query, key, value, block_size=64, is_causal=False):
    scaled = query / math.sqrt(query.shape[-1])

    results = {}

    def keep(start):
        block = scaled[:, :, start : start + block_size]
        results[start] = _one_block(block, start, key, value, block_size, is_causal)

    threads = [threading.Thread(target=keep, args=(s,)) for s in range(0, query.shape[2], block_size)]
    for thread in threads:
        thread.start()
        thread.join()
    return torch.cat([results[start] for start in sorted(results)], dim=2)


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
