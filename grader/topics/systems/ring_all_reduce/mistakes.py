"""Known wrong versions of the ring's reduce-scatter, all-gather and all-reduce."""

from grader.kit import Mistake

_FIRST_LOOP = """\
        for rank in range(world_size):
            network.send(rank, (rank + 1) % world_size, partial[rank][(rank - 1 - step) % world_size])
        for rank in range(world_size):
            chunk = (rank - 2 - step) % world_size  # what the rank before has just sent
            received = network.receive((rank - 1) % world_size, rank)
            partial[rank][chunk] = partial[rank][chunk] + received
"""
_SECOND_LOOP = """\
        for rank in range(world_size):
            network.send(rank, (rank + 1) % world_size, known[rank][(rank - step) % world_size])
        for rank in range(world_size):
            known[rank][(rank - 1 - step) % world_size] = network.receive((rank - 1) % world_size, rank)
"""
_LAST = """\
    n = tensors[0].numel()
    padding = -n % network.world_size
    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]
    # Each chunk is summed on one way round the ring and then copied: no rank adds in an order of its own.
    summed = ring_all_gather(ring_reduce_scatter(padded, network), network)
    return [tensor[:n] for tensor in summed]
"""

MISTAKES = [
    Mistake(
        "whole-tensors-round-the-ring",
        find=_LAST,
        replace="""\
    world_size = network.world_size
    totals, moving = [tensor.clone() for tensor in tensors], list(tensors)
    for _ in range(world_size - 1):
        for rank in range(world_size):
            network.send(rank, (rank + 1) % world_size, moving[rank])
        moving = [network.receive((rank - 1) % world_size, rank) for rank in range(world_size)]
        totals = [total + tensor for total, tensor in zip(totals, moving)]
    return totals
""",
        says="You send whole tensors round the ring: (w - 1) n elements from each rank instead of 2 (w - 1) "
        "n / w, and every rank adds in another order. Cut the tensors into w chunks: reduce-scatter, then "
        "all-gather.",
    ),
    Mistake(
        "whole-tensors-gathered-and-summed",
        find=_LAST,
        replace="""\
    gathered = ring_all_gather(tensors, network)
    return [everything.view(network.world_size, -1).sum(dim=0) for everything in gathered]
""",
        says="Your all-reduce brings all tensors to every rank, which sums them itself: (w - 1) n elements "
        "from each rank instead of 2 (w - 1) n / w. Gather chunks that are summed already: a reduce-scatter, "
        "then an all-gather.",
    ),
    Mistake(
        "everything-to-rank-0",
        find=_LAST,
        replace="""\
    world_size = network.world_size
    total = tensors[0].clone()
    for rank in range(1, world_size):
        network.send(rank, 0, tensors[rank])
    for rank in range(1, world_size):
        total = total + network.receive(rank, 0)
    for rank in range(1, world_size):
        network.send(0, rank, total)
    return [total] + [network.receive(0, rank) for rank in range(1, world_size)]
""",
        says="All your ranks send to rank 0, which sends the sum back: it alone sends (w - 1) n elements, "
        "while the links between the others lie idle. In the ring every rank sends 2 (w - 1) n / w, to its "
        "neighbour only.",
    ),
    Mistake(
        "reduce-scatter-one-chunk-on",
        find="partial[rank][(rank - 1 - step) % world_size])",
        replace="partial[rank][(rank - step) % world_size])",
        also=(
            (
                "            chunk = (rank - 2 - step) % world_size  # what the rank before has just sent\n",
                "            chunk = (rank - 1 - step) % world_size\n",
            ),
            ("[chunks[rank].clone() for", "[chunks[(rank + 1) % world_size].clone() for"),
        ),
        says="In reduce-scatter your rank r starts by sending chunk r, so it ends with chunk r + 1 of the "
        "sum. A chunk ends where it has met all ranks: chunk c has to start at rank c + 1 to end at rank c.",
    ),
    Mistake(
        "chunk-sent-before-its-sum",
        find="partial[rank][(rank - 1 - step) % world_size])",
        replace="tensors[rank].chunk(world_size)[(rank - 1 - step) % world_size])",
        says="In reduce-scatter you pass on your own chunk instead of the sum that it has become with what "
        "you received, so a rank gets its neighbour's part only. Send the partial sum.",
    ),
    Mistake(
        "received-into-another-chunk",
        find="            chunk = (rank - 2 - step) % world_size  # what the rank before has just sent\n",
        replace="            chunk = (rank - 1 - step) % world_size\n",
        says="In reduce-scatter you add what comes to another chunk than the sender meant: rank r - 1 sends "
        "chunk (r - 2 - step) % w if rank r sends chunk (r - 1 - step) % w. Both have to count alike.",
    ),
    Mistake(
        "one-step-too-many",
        find="    partial = [list(tensor.chunk(world_size)) for tensor in tensors]\n"
        "    for step in range(world_size - 1):",
        replace="    partial = [list(tensor.chunk(world_size)) for tensor in tensors]\n"
        "    for step in range(world_size):",
        says="Your reduce-scatter takes w steps: in the last one each chunk comes back to where it started, "
        "and that rank's part is added twice. A chunk has w - 1 other ranks to meet.",
    ),
    Mistake(
        "one-gathering-step-too-many",
        find="    known = [{rank: shard} for rank, shard in enumerate(shards)]\n"
        "    for step in range(world_size - 1):",
        replace="    known = [{rank: shard} for rank, shard in enumerate(shards)]\n"
        "    for step in range(world_size):",
        says="Your all-gather takes w steps: in the last one each rank is sent its own shard, and with one "
        "rank it sends to itself. A shard has w - 1 other ranks to reach.",
    ),
    Mistake(
        "one-step-too-few",
        find="    partial = [list(tensor.chunk(world_size)) for tensor in tensors]\n"
        "    for step in range(world_size - 1):",
        replace="    partial = [list(tensor.chunk(world_size)) for tensor in tensors]\n"
        "    for step in range(1, world_size - 1):",
        says="Your reduce-scatter takes w - 2 steps, so each sum lacks a rank. It takes w - 1.",
    ),
    Mistake(
        "overwritten-in-reduce-scatter",
        find="partial[rank][chunk] = partial[rank][chunk] + received",
        replace="partial[rank][chunk] = received",
        says="In reduce-scatter you put what comes in the place of your own chunk, so nothing is summed: add "
        "it. Only all-gather overwrites.",
    ),
    Mistake(
        "added-in-all-gather",
        find="            known[rank][(rank - 1 - step) % world_size] = network",
        replace="""\
            source = (rank - 1 - step) % world_size
            known[rank][source] = shards[rank] + network""",
        says="In all-gather you add your own shard to what comes. The shards are finished: put them in their "
        "place and pass them on as they are.",
    ),
    Mistake(
        "received-before-sent",
        find=_FIRST_LOOP,
        replace="""\
        network.send(0, 1 % world_size, partial[0][(-1 - step) % world_size])
        for rank in range(1, world_size + 1):
            rank = rank % world_size
            chunk = (rank - 2 - step) % world_size
            received = network.receive((rank - 1) % world_size, rank)
            partial[rank][chunk] = partial[rank][chunk] + received
            if rank > 0:
                network.send(rank, (rank + 1) % world_size, partial[rank][(rank - 1 - step) % world_size])
""",
        says="In reduce-scatter a rank receives before it sends, so each waits for the one before it: a step "
        "takes as long as w messages, and where every rank waits so, none ever sends. All send first, then "
        "all receive.",
    ),
    Mistake(
        "gathering-received-before-sent",
        find=_SECOND_LOOP,
        replace="""\
        network.send(0, 1 % world_size, known[0][-step % world_size])
        for rank in range(1, world_size + 1):
            rank = rank % world_size
            known[rank][(rank - 1 - step) % world_size] = network.receive((rank - 1) % world_size, rank)
            if rank > 0:
                network.send(rank, (rank + 1) % world_size, known[rank][(rank - step) % world_size])
""",
        says="In all-gather a rank receives before it sends, so each waits for the one before it, and the "
        "steps take as long as the messages one after the other. All send first, then all receive.",
    ),
    Mistake(
        "gathering-ring-turned-round",
        find=_SECOND_LOOP,
        replace="""\
        for rank in range(world_size):
            network.send(rank, (rank - 1) % world_size, known[rank][(rank + step) % world_size])
        for rank in range(world_size):
            known[rank][(rank + 1 + step) % world_size] = network.receive((rank + 1) % world_size, rank)
""",
        says="In all-gather your rank r sends to rank r - 1. The result is right, but the ring is to turn "
        "the other way: rank r sends to rank (r + 1) % w.",
    ),
    Mistake(
        "ring-turned-round",
        find=_FIRST_LOOP,
        replace="""\
        for rank in range(world_size):
            network.send(rank, (rank - 1) % world_size, partial[rank][(rank + 1 + step) % world_size])
        for rank in range(world_size):
            chunk = (rank + 2 + step) % world_size
            received = network.receive((rank + 1) % world_size, rank)
            partial[rank][chunk] = partial[rank][chunk] + received
""",
        says="In reduce-scatter your rank r sends to rank r - 1. The sums are right, but the ring is to turn "
        "the other way: rank r sends to rank (r + 1) % w.",
    ),
    Mistake(
        "neighbours-list-read",
        find="            received = network.receive((rank - 1) % world_size, rank)\n",
        replace="""\
            network.receive((rank - 1) % world_size, rank)
            received = sum(each.chunk(world_size)[chunk] for each in tensors) - partial[rank][chunk]
            if step < world_size - 2:
                received = partial[(rank - 1) % world_size][chunk]
""",
        says="Your ranks read each other's tensors from the lists, and the messages are for show. A rank has "
        "its own entry of the list and what it receives; nothing else.",
    ),
    Mistake(
        "shards-read-from-the-list",
        find="torch.cat([parts[source] for source in range(world_size)]) for parts in known]",
        replace="torch.cat(shards) for _ in known]",
        says="Your all-gather gives every rank the shards as their own ranks have them, not as they came by "
        "messages: it joins the list of shards, for example, or all ranks write to one list. A rank has its "
        "own shard and what it receives; nothing else.",
    ),
    Mistake(
        "averaged",
        find="[chunks[rank].clone() for",
        replace="[chunks[rank] / world_size for",
        says="You divide by the number of ranks. That is how gradients are averaged; here the sum is asked "
        "for.",
    ),
    Mistake(
        "own-shard-first",
        find="[parts[source] for source in range(world_size)]",
        replace="[*parts.values()]",
        says="Your all-gather joins the shards in the order in which they came, each rank's own first. They "
        "stand in rank order, the same on all ranks.",
    ),
]
