"""Each rank is a generator that yields between its send and its receive; a driver lets all go on together."""

import torch


def _together(routines):
    results = [None] * len(routines)
    waiting = dict(enumerate(routines))
    while waiting:
        for rank in sorted(waiting):
            try:
                next(waiting[rank])
            except StopIteration as end:
                results[rank] = end.value
                del waiting[rank]
    return results


def _reduce(rank, tensor, network):
    w = network.world_size
    rows = tensor.detach().reshape(w, -1)
    carried = rows[rank - 1].clone()
    for step in range(w - 1):
        network.send(rank, (rank + 1) % w, carried)
        yield
        carried = torch.add(rows[(rank - 2 - step) % w], network.receive((rank - 1) % w, rank))
        yield
    return carried


def _gather(rank, shard, network):
    w = network.world_size
    pieces = {rank: shard.detach()}
    moving = shard.detach()
    for step in range(w - 1):
        network.send(rank, (rank + 1) % w, moving)
        yield
        moving = network.receive((rank - 1) % w, rank)
        pieces[(rank - 1 - step) % w] = moving
        yield
    return torch.stack([pieces[i] for i in range(w)]).flatten()


def _both(rank, tensor, network):
    w, n = network.world_size, tensor.numel()
    room = tensor.detach().new_zeros((n + w - 1) // w * w)
    room[:n] = tensor.detach()
    shard = yield from _reduce(rank, room, network)
    total = yield from _gather(rank, shard, network)
    return total[:n].clone()


def ring_reduce_scatter(tensors, network):
    return _together([_reduce(r, t, network) for r, t in enumerate(tensors)])


def ring_all_gather(shards, network):
    return _together([_gather(r, s, network) for r, s in enumerate(shards)])


def ring_all_reduce(tensors, network):
    return _together([_both(r, t, network) for r, t in enumerate(tensors)])
