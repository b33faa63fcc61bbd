"""One generator per rank, advanced in turns: each yields between its send and its receive."""

import numpy as np
import torch


def run(programs):
    """All ranks go one step, then all the next; gives what each returns."""
    results, live = {}, dict(enumerate(programs))
    while live:
        for rank in list(live):
            try:
                next(live[rank])
            except StopIteration as end:
                results[rank] = end.value
                del live[rank]
    return [results[rank] for rank in sorted(results)]


def circulate(rank, net, pieces, first, combine):
    w = net.world_size
    index = first
    for _ in np.arange(w - 1):
        net.send(source=rank, target=(rank + 1) % w, tensor=pieces[index])
        yield
        index = (index + w - 1) % w
        came = net.receive(source=rank - 1 if rank else w - 1, target=rank)
        pieces[index] = combine(pieces[index], came)
        yield
    return pieces


def ring_reduce_scatter(tensors, network):
    def program(rank, mine):
        pieces = [piece.clone() for piece in mine.split(mine.numel() // network.world_size)]
        pieces = yield from circulate(rank, network, pieces, (rank - 1) % network.world_size, torch.add)
        return pieces[rank]

    return run(program(r, t) for r, t in enumerate(tensors))


def ring_all_gather(shards, network):
    def program(rank, mine):
        pieces = [None] * network.world_size
        pieces[rank] = mine
        pieces = yield from circulate(rank, network, pieces, rank, lambda old, new: new)
        return torch.cat(pieces, 0)

    return run(program(r, t) for r, t in enumerate(shards))


def ring_all_reduce(tensors, network):
    (n,) = tensors[0].shape
    w = network.world_size
    size = (n + w - 1) // w * w
    longer = [torch.cat((t, t.new_zeros(size - n))) for t in tensors]
    return [t.narrow(0, 0, n).clone() for t in ring_all_gather(ring_reduce_scatter(longer, network), network)]
