"""All-reduce written out, with chunks of unequal size; rank r has chunk r + 1 in the middle."""

from itertools import pairwise

import torch


def exchange(buffers, bounds, offset, network, add):
    w = len(buffers)
    for step in range(w - 1):
        for rank in range(w):
            start, end = bounds[(rank + offset - step) % w]
            network.send(rank, (rank + 1) % w, buffers[rank][start:end])
        for rank in range(w):
            start, end = bounds[(rank + offset - step - 1) % w]
            message = network.receive((rank + w - 1) % w, rank)
            if add:
                buffers[rank][start:end] += message
            else:
                buffers[rank][start:end] = message


def cuts(n, w):
    edges = [n * part // w for part in range(w + 1)]
    return list(pairwise(edges))


def ring_reduce_scatter(tensors, network):
    buffers = [tensor.clone() for tensor in tensors]
    bounds = cuts(len(buffers[0]), len(buffers))
    exchange(buffers, bounds, -1, network, add=True)
    return [buffer[start:end].contiguous() for buffer, (start, end) in zip(buffers, bounds, strict=True)]


def ring_all_gather(shards, network):
    w, size = len(shards), len(shards[0])
    buffers = []
    for rank, shard in enumerate(shards):
        buffer = torch.empty(w * size, dtype=shard.dtype, device=shard.device)
        buffer[rank * size : (rank + 1) * size] = shard
        buffers.append(buffer)
    exchange(buffers, cuts(w * size, w), 0, network, add=False)
    return buffers


def ring_all_reduce(tensors, network):
    buffers = [tensor.clone() for tensor in tensors]
    bounds = cuts(tensors[0].numel(), network.world_size)
    exchange(buffers, bounds, 0, network, add=True)
    exchange(buffers, bounds, 1, network, add=False)
    return buffers
