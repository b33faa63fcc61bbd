"""Known wrong versions of the ring whose tensors are wrong in length, dtype, device or memory."""

from grader.kit import Mistake

PADDED = """\
    padding = -n % network.world_size
    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]
"""
LAST = "    return [tensor[:n] for tensor in summed]\n"


def remainder(name: str, rest: str, says: str) -> Mistake:
    """The last n % w elements come to `rest` on each rank, and the others go round the ring."""
    return Mistake(
        name,
        find=PADDED,
        replace="    whole = n - n % network.world_size\n"
        "    padded = [tensor[:whole] for tensor in tensors]\n",
        also=(
            (
                LAST,
                "    rests = [tensor[whole:] for tensor in tensors]\n"
                f"    return [torch.cat([tensor, {rest}]) for tensor, own in zip(summed, rests)]\n",
            ),
        ),
        says=says,
    )


MISTAKES = [
    Mistake(
        "summed-in-place",
        find="partial[rank][chunk] = partial[rank][chunk] + received",
        replace="partial[rank][chunk] += received",
        says="You add into chunks that are views of the caller's tensors, so these change. chunk(), split() "
        "and view() copy nothing: make a new tensor, a + b, or clone() first.",
    ),
    Mistake(
        "padded-tensors-put-into-the-list",
        find="    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]\n",
        replace="    padded = tensors\n"
        "    for rank in range(network.world_size if padding else 0):\n"
        "        padded[rank] = F.pad(tensors[rank], (0, padding))\n",
        says="Where the ranks do not divide n you put the padded tensors into the caller's list, which has "
        "other tensors then. tensors is not modified: make a new list.",
    ),
    Mistake(
        "remainder-dropped",
        find="padding = -n % network.world_size\n",
        replace="padding = -(n % network.world_size)\n",
        says="Where the ranks do not divide n you drop the last n % w elements. Pad the tensors up to a "
        "multiple of w, or cut chunks of unequal size.",
    ),
    remainder(
        "remainder-not-reduced",
        "own",
        "Where the ranks do not divide n, the last n % w elements stay each rank's own and are never summed. "
        "Pad the tensors up to a multiple of w, or cut chunks of unequal size.",
    ),
    remainder(
        "remainder-left-at-zero",
        "torch.zeros_like(own)",
        "Where the ranks do not divide n, the last n % w elements of your result are 0: no chunk has them, "
        "for example. Pad the tensors up to a multiple of w, or cut chunks of unequal size.",
    ),
    remainder(
        "remainder-read-from-the-list",
        "sum(rests)",
        "Where the ranks do not divide n, the last n % w elements are right, but not by messages: they are "
        "summed from the list of tensors, for example. A rank has its own entry of the list and what it "
        "receives; nothing else. Pad the tensors, or cut chunks of unequal size.",
    ),
    Mistake(
        "remainder-left-to-chunk",
        find="    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]\n",
        replace="    padded = tensors\n",
        says="You leave it to chunk() to cut what the ranks do not divide. It makes chunks of ceil(n / w), "
        "and for example 6 elements on 4 ranks are 3 chunks of 2: there is no fourth. Pad first, or cut at n "
        "* i // w.",
    ),
    Mistake(
        "padding-returned",
        find="return [tensor[:n] for tensor in summed]",
        replace="return summed",
        says="You give the padding back: the result is longer than the tensors where the ranks do not divide "
        "n. Cut it to n elements.",
    ),
    Mistake(
        "padding-of-a-whole-chunk-each",
        find="padding = -n % network.world_size\n",
        replace="padding = network.world_size - n % network.world_size\n",
        says="You pad by w - n % w, which is w where w divides n: each chunk gets one element more than it "
        "needs, and more is sent. Pad by -n % w.",
    ),
    Mistake(
        "one-result-for-all",
        find="    return [torch.cat([parts[source] for source in range(world_size)]) for parts in known]",
        replace="    return [torch.cat([known[0][source] for source in range(world_size)])] * world_size",
        says="You put one tensor into the list for all ranks: what rank 0 put together. Each rank joins what "
        "it has received itself, in memory of its own.",
    ),
    Mistake(
        "callers-memory-returned",
        find="return [chunks[rank].clone() for rank, chunks in enumerate(partial)]",
        replace="return [chunks[rank] for rank, chunks in enumerate(partial)]",
        says="With one rank what you give back has the memory of the caller's tensor (it is that tensor, or "
        "a view of it), since nothing is added to it. Whoever writes to the result writes to the argument: "
        "clone() it.",
    ),
    Mistake(
        "summed-in-float32",
        find="    partial = [list(tensor.chunk(world_size)) for tensor in tensors]",
        replace="    partial = [list(tensor.float().chunk(world_size)) for tensor in tensors]",
        says="You sum in float32 whatever comes, so float64 loses half of its digits. Keep the dtype of the "
        "tensors.",
    ),
    Mistake(
        "gathered-in-the-default-dtype",
        find="    return [torch.cat([parts[source] for source in range(world_size)]) for parts in known]\n",
        replace="""\
    whole = [torch.zeros(world_size * shards[0].numel()) for _ in shards]
    for parts, each in zip(known, whole):
        for source, shard in parts.items():
            each[source * shard.numel() : (source + 1) * shard.numel()] = shard
    return whole
""",
        says="You put the shards into torch.zeros(...), which has the default dtype and device, whatever the "
        "shards have. Give it theirs: dtype=, device=, or new_zeros.",
    ),
    Mistake(
        "gathered-on-the-default-device",
        find="    return [torch.cat([parts[source] for source in range(world_size)]) for parts in known]\n",
        replace="""\
    whole = [torch.zeros(world_size * shards[0].numel(), dtype=shards[0].dtype) for _ in shards]
    for parts, each in zip(known, whole):
        for source, shard in parts.items():
            each[source * shard.numel() : (source + 1) * shard.numel()] = shard
    return whole
""",
        says="You put the shards into torch.zeros(...) of their dtype, but on the default device, wherever "
        "the shards are. Give it theirs: device=shards[0].device, or new_zeros.",
    ),
    Mistake(
        "padding-on-the-default-device",
        find="    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]\n",
        replace="    padded = [torch.cat([t, torch.zeros(padding, dtype=t.dtype)]) for t in tensors]\n",
        says="You pad with torch.zeros(...), which is made on the default device, wherever the tensors are. "
        "Use new_zeros or F.pad.",
    ),
    Mistake(
        "padding-in-the-default-dtype",
        find="    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]\n",
        replace="    padded = [torch.zeros(n + padding) for _ in tensors]\n"
        "    for longer, tensor in zip(padded, tensors):\n"
        "        longer[:n] = tensor\n",
        says="You copy the tensors into torch.zeros(...), which has the default dtype and device: float64 "
        "becomes float32. Use new_zeros or F.pad.",
    ),
    Mistake(
        "padded-without-the-dtype",
        find="    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]\n",
        replace="    padded = [torch.zeros(n + padding, device=tensor.device) for tensor in tensors]\n"
        "    for longer, tensor in zip(padded, tensors):\n"
        "        longer[:n] = tensor\n",
        says="You copy the tensors into torch.zeros(...) on their device but without their dtype, so float64 "
        "is summed and returned as float32. Use new_zeros or F.pad, or give it dtype= too.",
    ),
    *(
        Mistake(
            f"padded-where-needed-without-the-dtype{ending}",
            find="    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]\n",
            replace=f"    padded = [torch.zeros(n + padding{device}) if padding else t for t in tensors]\n"
            "    for longer, tensor in zip(padded, tensors) if padding else ():\n"
            "        longer[:n] = tensor\n",
            says="Where the ranks do not divide n you copy the tensors into a buffer of the default dtype"
            f"{also}: float64 is summed and returned as float32. Use new_zeros or F.pad, or give it dtype= "
            "too.",
        )
        for ending, device, also in [
            ("", ", device=t.device", ""),
            ("-and-the-device", "", ", on the default device"),
        ]
    ),
    Mistake(
        "padded-in-one-buffer",
        find="    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]\n",
        replace="    padded = [F.pad(tensors[-1], (0, padding)) for _ in tensors]\n",
        says="In your all-reduce every rank adds the tensor of the last rank instead of its own: all are "
        "copied into one and the same buffer ([buffer] * w gives the same object w times), for example. Make "
        "one for each rank.",
    ),
]
