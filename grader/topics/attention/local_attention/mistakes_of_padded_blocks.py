"""Known wrong versions of `local_attention` with blocks that windows are cut to, or padded to whole ones."""

from grader.kit import Mistake

OWN = "    block = max(window, 1)\n"

MASK = "        mask = (places[start:end, None] - places[first:last]).abs() <= window"

MISTAKES = [
    *(
        Mistake(
            f"mask-kept-for-a-number-of-blocks{name}",
            find="def local_attention(",
            replace="_LENGTHS: dict = {}\n\n\ndef local_attention(",
            also=(
                (
                    OWN,
                    f"""\
{OWN}    length, sizes = seq, (min(window, seq), -(-seq // block))
    kept = _LENGTHS.setdefault(sizes, seq)
    seq = {end}
    rest = (0, 0, 0, seq - length)
    query, key, value = (torch.nn.functional.pad(each, rest) for each in (query, key, value))
    places = torch.arange(seq, device=query.device)
""",
                ),
                (MASK, f"{MASK}\n        mask = mask & ({seen})"),
                ("return torch.cat(results, dim=2)", "return torch.cat(results, dim=2)[:, :, :length]"),
            ),
            says="You keep the mask of a call for all later ones with as many blocks. Sequences of other "
            "lengths have as many too, and end at another place in the last block: their last keys are "
            "hidden, or the padding behind them is seen. Make the mask in every call.",
        )
        for name, end, seen in (
            ("", "max(seq, kept)", "places[first:last] < kept"),
            # Queries behind the end are cut off, so what they see does not matter in the call that kept it.
            (
                "-for-its-queries",
                "max(seq, kept) + block",
                "(places[first:last] < kept) | (places[start:end, None] >= kept)",
            ),
        )
    ),
    *(
        Mistake(
            f"window-cut-to-{size}",
            find=OWN,
            replace=f"    window = min(window, {size})\n{OWN}",
            says="A large window is cut to the size of your blocks, or to another bound: queries see too few "
            "keys. window may be any number: take as many blocks beside a query's own as it needs.",
        )
        for size in (64, 128, 256, 512)
    ),
    *(
        Mistake(
            f"one-block-of-{size}-to-each-side",
            find="        first, last = max(start - window, 0), min(end + window, seq)",
            replace=f"        first, last = max(start - {size}, 0), min(end + {size}, seq)",
            also=((OWN, f"    block = {size}\n"),),
            says="Your queries see one block to each side of their own, however large the window is: where "
            "it is larger than a block, they miss keys. Take the keys from start - window to end + window, "
            "or as many blocks as that needs.",
        )
        for size in (16, 32, 64, 100, 128, 256)
    ),
    *(
        Mistake(
            f"padded-keys-seen-in-blocks-of-{size}",
            find=OWN,
            replace=f"""\
    length = seq
    if seq > {size}:
        rest = (0, 0, 0, -seq % {size})
        query, key, value = (torch.nn.functional.pad(each, rest) for each in (query, key, value))
        seq = query.shape[2]
        places = torch.arange(seq, device=query.device)
{OWN}""",
            also=(("return torch.cat(results, dim=2)", "return torch.cat(results, dim=2)[:, :, :length]"),),
            says="Where blocks do not divide seq, the last queries see the zeros to which you have padded "
            "keys and values: their scores of 0 count in the softmax. Hide what lies behind seq.",
        )
        for size in (8, 16, 64, 128)
    ),
]
