"""Known wrong versions of what combines and moves masks in `mask_functions`."""

from grader.kit import Mistake

OFFSET = "fn(batch, head, q + q_offset, kv + kv_offset)"
AND = """\
        result = q.new_ones((), dtype=torch.bool)
        for fn in fns:
            result = result & fn(batch, head, q, kv)
"""
OR = """\
        result = q.new_zeros((), dtype=torch.bool)
        for fn in fns:
            result = result | fn(batch, head, q, kv)
"""


MISTAKES = [
    Mistake(
        "and-of-none-keeps-nothing",
        find="        result = q.new_ones((), dtype=torch.bool)",
        replace="        result = torch.full((), bool(fns), device=q.device)",
        says="Your and_masks without functions keeps nothing. Nobody objects, so it keeps everything: begin "
        "with True.",
    ),
    *(
        Mistake(
            f"{name}-of-none-raises{ending}",
            find=combined,
            replace=replace.format(sign=sign),
            says=f"Your {name}_masks needs at least one function: {how}. Without any it should keep "
            f"{kept}: begin with {start}.",
        )
        for name, combined, sign, kept, start in (
            ("and", AND, "&", "everything", True),
            ("or", OR, "|", "nothing", False),
        )
        for ending, how, replace in (
            (
                "",
                "it begins with the first",
                """\
        result = fns[0](batch, head, q, kv)
        for fn in fns[1:]:
            result = result {sign} fn(batch, head, q, kv)
""",
            ),
            (
                "-in-reduce",
                "reduce has no value to begin with",
                """\
        from functools import reduce

        result = reduce(lambda one, other: one {sign} other, [fn(batch, head, q, kv) for fn in fns])
""",
            ),
        )
    ),
    Mistake(
        "and-in-place",
        find=AND,
        replace="""\
        result = fns[0](batch, head, q, kv) if fns else q.new_ones((), dtype=torch.bool)
        for fn in fns[1:]:
            result &= fn(batch, head, q, kv)
""",
        says="Your and_masks collects in what the first function returns (in place, as &= does). That may "
        "be a table which the function keeps, and it would be another one from then on. Begin with a tensor "
        "of your own, or result = result & …",
    ),
    Mistake(
        "or-in-place",
        find=OR,
        replace="""\
        result = fns[0](batch, head, q, kv) if fns else q.new_zeros((), dtype=torch.bool)
        for fn in fns[1:]:
            result |= fn(batch, head, q, kv)
""",
        says="Your or_masks collects in what the first function returns (|= works in place). That may be a "
        "table which the function keeps, and it would be another one from then on. Begin with a tensor of "
        "your own, or result = result | …",
    ),
    *(
        Mistake(
            f"{name}-walked-once",
            find=combined,
            replace=combined.replace("in fns:", "in remaining:"),
            also=((keeps, keeps + "    remaining = iter(fns)\n"),),
            says=f"Your {name}_masks walks over its functions with an iterator (iter, map, zip, a generator) "
            "that is made only once, so from the second call on it is empty and nothing is combined. Begin "
            "anew in each call: for fn in fns.",
        )
        for name, combined, keeps in [
            ("and", AND, 'Without any function it keeps everything."""\n'),
            ("or", OR, 'Without any function it keeps nothing."""\n'),
        ]
    ),
    Mistake(
        "and-of-none-is-no-tensor",
        find="        result = q.new_ones((), dtype=torch.bool)",
        replace="        result = True",
        says="Your and_masks without functions returns Python's True. A mask function returns a tensor, on "
        "the device of its indices: begin with q.new_ones((), dtype=torch.bool).",
    ),
    Mistake(
        "or-of-none-is-no-tensor",
        find="        result = q.new_zeros((), dtype=torch.bool)",
        replace="        result = False",
        says="Your or_masks without functions returns Python's False. A mask function returns a tensor, on "
        "the device of its indices: begin with q.new_zeros((), dtype=torch.bool).",
    ),
    Mistake(
        "or-of-none-keeps-everything",
        find="        result = q.new_zeros((), dtype=torch.bool)",
        replace="        result = torch.full((), not fns, device=q.device)",
        says="Your or_masks without functions keeps everything. Nobody asks for anything, so it keeps "
        "nothing: begin with False.",
    ),
    Mistake(
        "or-begins-with-true",
        find="        result = q.new_zeros((), dtype=torch.bool)",
        replace="        result = q.new_ones((), dtype=torch.bool)",
        says="Your or_masks keeps everything, whatever the functions say: it begins with True. Begin with "
        "False.",
    ),
    Mistake(
        "and-begins-with-false",
        find="        result = q.new_ones((), dtype=torch.bool)",
        replace="        result = q.new_zeros((), dtype=torch.bool)",
        says="Your and_masks keeps nothing, whatever the functions say: it begins with False. Begin with "
        "True.",
    ),
    Mistake(
        "and-for-or",
        find="result | fn(batch, head, q, kv)",
        replace="(result if fn is not fns[0] else ~result) & fn(batch, head, q, kv)",
        says="Your or_masks keeps only what all functions keep. One that keeps is enough: combine with |.",
    ),
    Mistake(
        "or-for-and",
        find="result & fn(batch, head, q, kv)",
        replace="(result if fn is not fns[0] else ~result) | fn(batch, head, q, kv)",
        says="Your and_masks keeps what one of the functions keeps. All of them have to: combine with &.",
    ),
    Mistake(
        "and-of-none-on-the-default-device",
        find="        result = q.new_ones((), dtype=torch.bool)",
        replace="        result = torch.ones((), dtype=torch.bool)",
        says="What your and_masks returns without functions is on the default device. It belongs on that of "
        "the indices: q.new_ones((), dtype=torch.bool).",
    ),
    Mistake(
        "or-of-none-on-the-default-device",
        find="        result = q.new_zeros((), dtype=torch.bool)",
        replace="        result = torch.zeros((), dtype=torch.bool)",
        says="What your or_masks returns without functions is on the default device. It belongs on that of "
        "the indices: q.new_zeros((), dtype=torch.bool).",
    ),
    Mistake(
        "and-of-the-last",
        find="            result = result & fn(batch, head, q, kv)",
        replace="            result = fn(batch, head, q, kv)",
        says="Your and_masks gives what its last function gives (in a loop, `fn` is the last one by the time "
        "it is called). All of them have to agree.",
    ),
    Mistake(
        "or-of-the-last",
        find="            result = result | fn(batch, head, q, kv)",
        replace="            result = fn(batch, head, q, kv)",
        says="Your or_masks gives what its last function gives (in a loop, `fn` is the last one by the time "
        "it is called). One of them is enough.",
    ),
    Mistake(
        "and-of-two",
        find="            result = result & fn(batch, head, q, kv)",
        replace="            result = result & fn(batch, head, q, kv) if fn in fns[:2] else result",
        says="Your and_masks takes two functions and leaves out what comes after. It takes any number.",
    ),
    Mistake(
        "or-of-two",
        find="            result = result | fn(batch, head, q, kv)",
        replace="            result = result | fn(batch, head, q, kv) if fn in fns[:2] else result",
        says="Your or_masks takes two functions and leaves out what comes after. It takes any number.",
    ),
    Mistake(
        "exclusive-or",
        find="result | fn(batch, head, q, kv)",
        replace="result ^ fn(batch, head, q, kv)",
        says="Your or_masks takes exclusive or: what two functions keep is hidden again. At least one has to "
        "keep it: |.",
    ),
    Mistake(
        "offset-subtracted",
        find=OFFSET,
        replace="fn(batch, head, q - q_offset, kv - kv_offset)",
        says="You subtract the offsets. They are added to the indices before fn sees them, so that query 0 "
        "of a later block is asked for as q_offset.",
    ),
    Mistake(
        "offsets-swapped",
        find=OFFSET,
        replace="fn(batch, head, q + kv_offset, kv + q_offset)",
        says="You add q_offset to kv and kv_offset to q. Each belongs to its own index.",
    ),
    Mistake(
        "query-offset-for-both",
        find=OFFSET,
        replace="fn(batch, head, q + q_offset, kv + q_offset)",
        says="You add q_offset to kv too, so kv_offset is never used. Each belongs to its own index: "
        "kv + kv_offset.",
    ),
    Mistake(
        "key-offset-for-both",
        find=OFFSET,
        replace="fn(batch, head, q + kv_offset, kv + kv_offset)",
        says="You add kv_offset to q too, so q_offset is never used. Each belongs to its own index: "
        "q + q_offset.",
    ),
    Mistake(
        "offset-of-keys-only",
        find=OFFSET,
        replace="fn(batch, head, q, kv + kv_offset)",
        says="You leave q as it is. Both indices are moved: q + q_offset.",
    ),
    Mistake(
        "offset-of-queries-only",
        find=OFFSET,
        replace="fn(batch, head, q + q_offset, kv)",
        says="You leave kv as it is. Both indices are moved: kv + kv_offset.",
    ),
    Mistake(
        "offset-in-place",
        find=OFFSET,
        replace="fn(batch, head, q.add_(q_offset), kv.add_(kv_offset))",
        says="You add the offsets to the caller's indices in place, so they are moved for whatever comes "
        "next. Make new tensors: q + q_offset, kv + kv_offset.",
    ),
    *(
        Mistake(
            f"offset-left-out-where-{id}",
            find=OFFSET,
            replace=f"(fn(batch, head, q, kv) if {condition} else {OFFSET})",
            says=f"Your offset changes nothing where {words}. {why}: give fn q + q_offset and kv + kv_offset "
            "always.",
        )
        for id, condition, words, why in (
            (
                "both-are-equal",
                "q_offset == kv_offset",
                "both offsets are the same",
                "Not every rule goes by the distance of q and kv, chunked and padding do not",
            ),
            (
                "one-is-zero",
                "not (q_offset and kv_offset)",
                "one of the offsets is 0",
                "The other one counts",
            ),
            ("that-of-the-query-is-zero", "not q_offset", "q_offset is 0", "kv_offset counts then, too"),
            ("that-of-the-key-is-zero", "not kv_offset", "kv_offset is 0", "q_offset counts then, too"),
        )
    ),
    Mistake(
        "offset-not-below-zero",
        find=OFFSET,
        replace="fn(batch, head, (q + q_offset).clamp(min=0), (kv + kv_offset).clamp(min=0))",
        says="You cut the moved indices off at 0. Offsets may be negative, and then fn is asked for places "
        "below 0 as they are.",
    ),
]
