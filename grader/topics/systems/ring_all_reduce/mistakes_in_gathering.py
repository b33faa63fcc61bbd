"""Known wrong versions of `ring_all_reduce`: the rounds of the all-gather, and what it is made of."""

from grader.kit import Mistake

KNOWN = "    known = [{rank: shard} for rank, shard in enumerate(shards)]\n"
JOINED = "return [torch.cat([parts[source] for source in range(world_size)]) for parts in known]"
ROUNDS = f"{KNOWN}    for step in range(world_size - 1):\n"

MISTAKES = [
    Mistake(
        "single-shard-handed-back",
        find=KNOWN,
        replace=f"    if world_size == 1:\n        return list(shards)\n{KNOWN}",
        says="With one rank your all-gather hands the shard itself back: the result shares memory with the "
        "argument. Give a copy.",
    ),
    Mistake(
        "single-tensor-handed-back",
        find="    n = tensors[0].numel()\n",
        replace="    if network.world_size == 1:\n        return list(tensors)\n    n = tensors[0].numel()\n",
        says="With one rank your all-reduce hands the tensor itself back, or a view of it: whoever writes to "
        "the result writes to the argument. Give a copy.",
    ),
    *(
        Mistake(
            f"ring-order-{which}",
            find=JOINED,
            replace=JOINED.replace("parts[source]", f"parts[({start}) % world_size]").replace(
                "for parts in known", "for rank, parts in enumerate(known)"
            ),
            says=f"Your all-gather joins the shards as they stand in the ring, each rank's own {which} "
            f"({how}, for example), so every rank has another order. They stand in rank order, the same on "
            "all ranks: put each in the place of the rank that it is from.",
        )
        for which, start, how in [
            ("last", "rank + 1 + source", "what arrives is put in front of what is there"),
            ("first", "rank + source", "places are counted from the rank itself"),
        ]
    ),
    *(
        Mistake(
            f"ring-order-turned-the-wrong-way{ending}",
            find=JOINED,
            replace=JOINED.replace("parts[source]", f"parts[({start}) % world_size]").replace(
                "for parts in known", "for rank, parts in enumerate(known)"
            ),
            says="Your all-gather turns the shards the wrong way to bring them from the order of the ring "
            f"into that of the ranks: {how}, for example. With one or two ranks that is the same. Put each "
            "shard in the place of the rank that it is from.",
        )
        for ending, start, how in [
            (
                "",
                "2 * rank + 2 + source",
                "roll(-(rank + 1)) where the own shard is last and moves to its place",
            ),
            ("-from-the-first", "2 * rank + source", "roll(-rank) where the own shard is first"),
        ]
    ),
    Mistake(
        "sources-counted-the-wrong-way",
        find=JOINED,
        replace=JOINED.replace("parts[source]", "parts[(2 * rank - source) % world_size]").replace(
            "for parts in known", "for rank, parts in enumerate(known)"
        ),
        says="Your all-gather puts the shards that come in into the places of the ranks behind its own, one "
        "after the other (rank + step + 1, for example). They come from the rank before, which had them from "
        "the rank before that: the places are rank - 1, rank - 2 and so on, modulo w. With two ranks that is "
        "the same.",
    ),
    Mistake(
        "gathered-in-the-default-dtype-on-its-device",
        find=JOINED,
        replace="results = []\n"
        "    for parts in known:\n"
        "        whole = torch.cat([parts[source] for source in range(world_size)])\n"
        "        results.append(torch.zeros(len(whole), device=whole.device).copy_(whole))\n"
        "    return results",
        says="Your all-gather writes the shards into a buffer of the default dtype, so float64 comes back as "
        "float32. It has the dtype of the shards.",
    ),
    Mistake(
        "gathered-one-round-too-many",
        find=ROUNDS,
        replace=ROUNDS.replace("range(world_size - 1)", "range(world_size if world_size > 1 else 0)"),
        says="Your all-gather goes round w times (but not at all with one rank): in the last round every "
        "shard comes home again. w - 1 rounds are enough.",
    ),
    Mistake(
        "averaged-in-all-reduce",
        find="    return [tensor[:n] for tensor in summed]",
        replace="    return [tensor[:n] / network.world_size for tensor in summed]",
        says="Your all-reduce gives the mean. The sum is asked for.",
    ),
    *(
        Mistake(
            f"one-{what}-for-all",
            find=JOINED,
            replace=f"""\
ranks = range(world_size)
    # In the last round, the rank before a source writes its shard over what the others have written.
    last = [known[source - 1][source] for source in ranks]
    return {results}""",
            says=f"All ranks of your all-gather write to one and the same {what} ([{example}] * w gives the "
            "same object w times, for example), so each has in its result what others received. Make one for "
            f"each rank: [{example} for _ in range(w)].",
        )
        for what, example, results in (
            ("buffer", "torch.empty(...)", "[torch.cat(last)] * world_size"),
            ("list", "[None] * w", "[torch.cat(last) for _ in ranks]"),
        )
    ),
    Mistake(
        "one-buffer-for-all-with-own-shards",
        find=JOINED,
        replace="return [torch.cat(shards)] * world_size",
        says="The results of your all-gather are one and the same tensor for all ranks ([buffer] * w, for "
        "example), and every shard in it is as its own rank has it, not as it came by a message. Each rank "
        "joins its own shard and what it has received, in memory of its own.",
    ),
    *(
        Mistake(
            f"elements-dealt-to-the-chunks-{name}",
            find="padded = [F.pad(tensor, (0, padding)) for tensor in tensors]",
            replace="""\
padded = [
        F.pad(tensor, (0, padding)).reshape(-1, network.world_size).T.reshape(-1) for tensor in tensors
    ]""",
            also=(
                ("return [tensor[:n] for tensor in summed]", f"return [{collected} for tensor in summed]"),
            ),
            says="Your all-reduce gives the right sums in another order. You deal the elements to the "
            f"chunks in turn, element e to chunk e % w, for example, {what}. Put them back in their "
            "places, by view(w, -1).T, or cut contiguous chunks.",
        )
        for name, collected, what in (
            (
                "and-again",
                "tensor.view(-1, network.world_size).T.reshape(-1)[:n]",
                "and deal the result once more where the chunks are to be taken apart: (chunk, w) where they "
                "are (w, chunk)",
            ),
            ("and-left-so", "tensor[:n]", "and join the chunks one behind the other"),
        )
    ),
]
