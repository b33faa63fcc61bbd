"""Known wrong versions of `ring_attention` that go round the ring, mask or share memory in another way."""

from grader.kit import Mistake

_SHIFT = """\
        if step < world_size - 1:  # nobody needs its own block back
            keys, values = ring.shift(keys), ring.shift(values)
"""
_SKIP = """\
            if is_causal and source > rank:
                continue  # they are all later than these queries
"""
_START = "    largest = [torch.full_like(query[..., :1], -math.inf) for query in queries]\n"

MISTAKES = [
    Mistake(
        "source-counted-the-wrong-way",
        find="source = (rank - step) % world_size",
        replace="source = (rank + step) % world_size",
        says="You take the block that has come for that of rank r + step. Rank r gets what rank r - 1 had, "
        "so after step shifts it has the block of rank (r - step) % w: your causal mask hits the wrong "
        "blocks.",
    ),
    Mistake(
        "own-rank-as-source",
        find="source = (rank - step) % world_size",
        replace="source = rank",
        says="You treat every block as the rank's own: with is_causal each gets the triangle of the diagonal "
        "block. After step shifts the block is that of rank (r - step) % w: earlier ones count in full, "
        "later ones not at all.",
    ),
    Mistake(
        "shifted-back-to-the-owner",
        find=_SHIFT,
        replace="        keys, values = ring.shift(keys), ring.shift(values)\n",
        says="You shift after the last block too, which brings keys and values back to their owner: w shifts "
        "where w - 1 will do.",
    ),
    Mistake(
        "one-shift-too-few",
        find="    for step in range(world_size):",
        replace="    for step in range(max(world_size - 1, 1)):",
        also=(("if step < world_size - 1:", "if step < world_size - 2:"),),
        says="You stop one block early: a rank computes with w blocks, its own and the w - 1 that come.",
    ),
    Mistake(
        "values-stay-at-home",
        find="keys, values = ring.shift(keys), ring.shift(values)",
        replace="keys = ring.shift(keys)",
        says="You shift the keys and not the values, so the weights of another rank's tokens meet your own "
        "rank's values. Both have to travel.",
    ),
    Mistake(
        "queries-travel-too",
        find="keys, values = ring.shift(keys), ring.shift(values)",
        replace="keys, values = ring.shift(keys), ring.shift(values)\n            ring.shift(queries)",
        says="You send the queries as well: half as much again, for nothing. They stay where they are, and "
        "keys and values come by.",
    ),
    Mistake(
        "other-ranks-lists-read",
        find=_START,
        replace="    home = keys, values\n" + _START,
        also=(
            ("keys[rank].transpose(-2, -1)", "home[0][source].transpose(-2, -1)"),
            ("weights @ values[rank]", "weights @ home[1][source]"),
        ),
        says="Your ranks read each other's keys and values from the lists, and the shifts are for show. A "
        "rank has its own entries and what shift has brought.",
    ),
    Mistake(
        "all-keys-gathered-first",
        find=_START,
        replace="""\
    seen = [[(key, value)] for key, value in zip(keys, values, strict=True)]
    for _ in range(world_size - 1):
        keys, values = ring.shift(keys), ring.shift(values)
        for rank in range(world_size):
            seen[rank].append((keys[rank], values[rank]))
    results = []
    for rank, query in enumerate(queries):
        blocks = [seen[rank][(rank - source) % world_size] for source in range(world_size)]
        blocks = blocks[: rank + 1] if is_causal else blocks
        key, value = (torch.cat(each, dim=2) for each in zip(*blocks, strict=True))
        scores = query @ key.transpose(-2, -1) / math.sqrt(head_dim)
        if is_causal:
            later = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1 + rank * query.shape[2])
            scores = scores.masked_fill(later, -math.inf)
        weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        results.append(weights / weights.sum(dim=-1, keepdim=True) @ value)
    return results
"""
        + _START,
        says="You collect all keys and values first and then attend to them at once: each rank holds the "
        "whole sequence, as if there were no ring. Use each block when it comes, and let it go.",
    ),
    Mistake(
        "later-blocks-masked-instead-of-skipped",
        find=_SKIP,
        replace="",
        also=(
            (
                "                scores = scores.masked_fill(later, -math.inf)\n",
                "                scores = scores.masked_fill(later, -math.inf)\n"
                "            if is_causal and source > rank:\n"
                "                scores = torch.full_like(scores, -math.inf)\n",
            ),
        ),
        says="You compute with blocks from later ranks and mask all their scores. With is_causal nearly half "
        "of the blocks are such: pass them on, and leave them out.",
    ),
    Mistake(
        "later-blocks-not-skipped",
        find=_SKIP,
        replace="",
        says="With is_causal you mask the diagonal block only, so queries see all tokens of later ranks. A "
        "block from a later rank is passed on but not computed with.",
    ),
    Mistake(
        "earlier-blocks-skipped",
        find="source > rank:",
        replace="source < rank:",
        says="You skip the blocks of earlier ranks and keep those of later ones. A query attends to itself "
        "and what is before it: skip where the source is greater than the rank.",
    ),
    Mistake(
        "own-block-only",
        find="source > rank:",
        replace="source != rank:",
        says="With is_causal you use each rank's own block only. Blocks of earlier ranks count, and in full.",
    ),
    Mistake(
        "diagonal-block-not-masked",
        find="if is_causal and source == rank:",
        replace="if is_causal and source > rank:",
        says="You skip the blocks of later ranks but leave the rank's own unmasked, so a query sees later "
        "tokens of its block. There, hide the keys behind the query's place.",
    ),
    Mistake(
        "triangle-in-every-block",
        find="if is_causal and source == rank:",
        replace="if is_causal:",
        says="You mask the upper triangle in every block. Blocks of earlier ranks are before all of a rank's "
        "queries and count in full: only its own block has keys to hide.",
    ),
    Mistake(
        "causal-drops-the-diagonal",
        find=".triu(1)",
        replace=".triu(0)",
        says="Your causal mask hides a query's own token too, so the first one sees nothing, and its row is "
        "NaN. Token i attends to 0 … i, i included.",
    ),
    Mistake(
        "later-hidden-the-wrong-way",
        find=".triu(1)",
        replace=".tril(-1)",
        says="In the diagonal block you hide the earlier keys and keep the later ones. Rows are queries, "
        "columns keys: hide what is above the diagonal.",
    ),
    Mistake(
        "causal-ignored",
        find=_START,
        replace="    is_causal = False\n" + _START,
        says="is_causal changes nothing in your answer: with it the query of token i attends to the tokens 0 "
        "… i.",
    ),
    Mistake(
        "always-causal",
        find=_START,
        replace="    is_causal = True\n" + _START,
        says="You mask whether or not is_causal is set. Without it every query attends to all tokens.",
    ),
    Mistake(
        "mask-on-the-default-device",
        find="torch.ones_like(scores[0, 0], dtype=torch.bool)",
        replace="torch.ones(scores.shape[-2:], dtype=torch.bool)",
        says="You make the causal mask on the default device, wherever the queries are. Give it theirs: "
        "device=query.device.",
    ),
    Mistake(
        "maxima-on-the-default-device",
        find="torch.full_like(query[..., :1], -math.inf)",
        replace="torch.full((*query.shape[:-1], 1), -math.inf)",
        says="You make the running maxima (or sums) on the default device, wherever the queries are. Make "
        "them with full_like, zeros_like or new_full.",
    ),
    Mistake(
        "queries-scaled-in-place",
        find=_START,
        replace="    for query in queries:\n        query /= math.sqrt(head_dim)\n" + _START,
        also=(("            scores = scores / math.sqrt(head_dim)\n", ""),),
        says="You scale the caller's queries in place. The arguments must stay as they are: make a new "
        "tensor.",
    ),
]
