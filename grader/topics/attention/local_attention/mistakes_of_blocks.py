"""Known wrong versions of `local_attention` whose values depend on how many queries a block has."""

from grader.kit import Mistake

SIZES = (16, 32, 48, 64, 100, 128)
"""Sizes that people choose. The solution has blocks as long as the window."""

OWN = "max(window, 1)"
BLOCK = f"    block = {OWN}\n"
BOUNDS = "        first, last = max(start - window, 0), min(end + window, seq)"
MASK = "        mask = (places[start:end, None] - places[first:last]).abs() <= window"
MASKING = "        scores = scores.masked_fill(~mask, -math.inf)\n"
CLIPPED = "torch.arange(keys.shape[2], device=query.device)"
ADDING = "        scores = scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)\n"


def _of(block: int | str) -> tuple[str, str]:
    return BLOCK, f"    block = {block}\n"


MISTAKES = [
    *(
        Mistake(
            f"own-block-only-of-{block}",
            find=BOUNDS,
            replace="        first, last = start, end",
            also=(_of(block),),
            says="Your queries see the keys of their own block only, which is not noticed while one block "
            "holds all. A query at its border has neighbours in the block before or after: take keys from "
            "start - window to end + window.",
        )
        for block in SIZES
    ),
    *(
        Mistake(
            f"no-next-block-of-{block}",
            find=BOUNDS,
            replace="        first, last = max(start - window, 0), end",
            also=(_of(block),),
            says="Your blocks have the keys before them, but not those after their end, which is not noticed "
            "while one block holds all. Take keys up to end + window.",
        )
        for block in SIZES
    ),
    *(
        Mistake(
            f"no-block-before-of-{block}",
            find=BOUNDS,
            replace="        first, last = start, min(end + window, seq)",
            also=(_of(block),),
            says="Your blocks have the keys after them, but not those before their start, which is not "
            "noticed while one block holds all. Take keys from start - window on.",
        )
        for block in SIZES
    ),
    *(
        Mistake(
            f"places-counted-in-the-block-of-{block}",
            find=MASK,
            replace=MASK.replace("places[start:end, None]", "places[: end - start, None]").replace(
                "places[first:last]", "places[: last - first]"
            ),
            also=(_of(block),),
            says="You count the places of queries and keys from the beginning of what you cut out. That is "
            "right in the first block only: behind it queries begin at `start`, and keys at `first`, which "
            "is earlier. Compare places in the sequence.",
        )
        for block in SIZES
    ),
    *(
        Mistake(
            f"band-left-out-of-blocks-of-{block}",
            find=MASKING,
            replace="",
            also=(_of(block),),
            says="Your queries see all keys that their block has got. That is too much for most of them: of "
            "each pair |i - j| <= window still has to be asked.",
        )
        for block in SIZES
    ),
    *(
        Mistake(
            f"band-as-if-nothing-were-cut-off-{block}",
            find=MASK,
            replace="""\
        step = places[: last - first] - places[: end - start, None]
        mask = (step >= 0) & (step <= 2 * window)""",
            also=(_of(block),),
            says="You lay the band over the keys of a block as if they began at start - window. In the "
            "first block they begin at 0, since there is nothing before: compare places in the sequence, or "
            "shift the band by what was cut off.",
        )
        for block in (OWN, "max(min(seq // 2, 128), 1)", *SIZES)
    ),
    *(
        Mistake(
            f"keys-end-one-early-{block}",
            find=BOUNDS,
            replace="""\
        first, last = max(start - window, 0), max(min(end + window - 1, seq), end)
        last = seq if end == seq else last""",
            also=(_of(block),),
            says="The keys of your blocks end one too early, so the last query of a block misses the key at "
            "distance `window`. Its last key is end - 1 + window, and a slice ends behind it: end + window.",
        )
        for block in (OWN, *SIZES)
    ),
    *(
        Mistake(
            f"keys-begin-one-late-{block}",
            find=BOUNDS,
            replace="""\
        first, last = min(max(start - window + 1, 0), start), min(end + window, seq)""",
            also=(_of(block),),
            says="The keys of your blocks begin one too late, so the first query of a block misses the key "
            "at distance `window` before it. They begin at start - window.",
        )
        for block in (OWN, *SIZES)
    ),
    *(
        Mistake(
            f"padded-queries-see-nothing-{masked}{block}",
            find=BLOCK,
            replace=f"""\
    block = {block}
    rest = -seq % block
    query = torch.nn.functional.pad(query, (0, 0, 0, rest))
    places = torch.nn.functional.pad(places, (0, rest), value=2 * seq + window)
""",
            also=(
                ("end = min(start + block, seq)", "end = start + block"),
                ("torch.cat(results, dim=2)", "torch.cat(results, dim=2)[:, :, :seq]"),
                (MASKING, masking),
            ),
            says=f"Your values are right, but there is NaN in {where}. You fill up the last block with "
            "queries that see no key, for example: their softmax is NaN, and cut off in the result it still "
            "comes back, as 0 times NaN. Let each query see some key, or add none.",
        )
        # Where scores are filled and not added to, no gradient goes back from them: it is 0 in that of key.
        for masked, masking, where in (
            ("", MASKING, "the gradient of value"),
            ("by-adding-", ADDING, "the gradients of key and value"),
        )
        for block in (OWN, 16)
    ),
    Mistake(
        "slices-from-negative-places",
        find=BOUNDS,
        replace="        first, last = start - window, end + window",
        also=(_of(1), (MASK, "        mask = places[first:last] >= 0")),
        says="For the first queries your slice begins at i - window, below 0, which Python counts from the "
        "end: it is empty, or has the wrong keys. Begin at max(i - window, 0).",
    ),
    *(
        Mistake(
            f"places-below-zero-{block}",
            find=BOUNDS,
            replace="        first, last = start - window, min(end + window, seq)",
            also=(
                _of(block),
                (MASK, MASK.replace("places[first:last]", "torch.arange(first, last, device=query.device)")),
            ),
            says="The keys of your first block begin at -window, which a slice counts from the end: it is "
            "empty, or has other keys than your mask is made for. Begin at max(start - window, 0).",
        )
        for block in (1, OWN, *SIZES)
    ),
    *(
        Mistake(
            f"places-of-a-clipped-slice-{block}",
            find=BOUNDS,
            replace="        first, last = start - window, end + window",
            also=(
                _of(block),
                (MASK, MASK.replace("places[first:last]", f"({CLIPPED} + max(start - window, 0))")),
            ),
            says="Your first keys are a slice that begins at -window, taken for one from 0 on. Python counts "
            "a negative start from the end, so it is empty, or has other keys than your mask is made "
            "for. Only the end of a slice is clipped: begin at max(start - window, 0).",
        )
        for block in (OWN, *SIZES)  # of one they are those above
    ),
    *(
        Mistake(
            f"blocks-from-negative-places-{block}",
            find=BOUNDS,
            replace="        first, last = start - window, min(end + window, seq)",
            also=(_of(block),),
            says="The keys of your first block begin at -window, which a slice counts from the end: it is "
            "empty, or has the wrong keys. Begin at max(start - window, 0).",
        )
        for block in (OWN, *SIZES)
    ),
    *(
        Mistake(
            f"places-not-shifted-with-the-keys-{block}",
            find=BOUNDS,
            replace="""\
        span = min(seq, block + 2 * window)
        first = min(max(start - window, 0), seq - span)
        last = first + span""",
            also=(
                (BLOCK, f"    window = min(window, seq - 1)\n    block = {block}\n"),
                (MASK, MASK.replace("places[first:last]", "(places[:span] + max(start - window, 0))")),
            ),
            says="Near the end you take the last keys of the sequence, so that every block has as many, but "
            "your mask counts their places as if they began at start - window. Those keys begin earlier: "
            "count from the place at which the slice really begins.",
        )
        for block in (OWN, *SIZES)
    ),
    *(
        Mistake(
            f"neighbours-detached-of-blocks-of-{block}",
            find="        keys, values = key[:, :, first:last], value[:, :, first:last]",
            replace="""\
        keys, values = (
            torch.cat([x[:, :, first:start].detach(), x[:, :, start:end], x[:, :, end:last].detach()], dim=2)
            for x in (key, value)
        )""",
            also=(_of(block),),
            says="Keys and values of the blocks beside a query's own get no gradient from it: they are "
            "detached, for example, or were copied from .data. They count like those of its own block.",
        )
        for block in (*SIZES, 256)
    ),
]
