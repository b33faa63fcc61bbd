"""Known wrong versions of `beam_search`: when it ends, and what is given then."""

from grader.kit import Mistake

SCORED = "    scored = [(tokens, total / (len(tokens) - 1) ** length_penalty) for tokens, total in beam]\n"

MISTAKES = [
    Mistake(
        "one-step-too-few",
        find="range(max_len - 1)",
        replace="range(max_len - 2)",
        says="You stop a token early. A hypothesis may have max_len tokens: bos and max_len - 1 more.",
    ),
    Mistake(
        "penalty-of-wu",
        find="(len(tokens) - 1) ** length_penalty",
        replace="((5 + len(tokens) - 1) / 6) ** length_penalty",
        says="You divide by ((5 + length) / 6)**length_penalty, as Wu et al. do. Here it is "
        "length**length_penalty.",
    ),
    Mistake(
        "best-one-only",
        find="    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)",
        replace="    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)[:1]",
        says="You return the best hypothesis alone. All that are kept are asked for, at most beam_width.",
    ),
    *(
        Mistake(
            name,
            find="(len(tokens) - 1) ** length_penalty",
            replace=f"{length} ** length_penalty",
            says=f"You divide every sum by the same length, {which}. Each hypothesis has its own: the tokens "
            "after its bos, up to and with its eos. (Padding behind eos does not count.)",
        )
        for name, length, which in (
            (
                "length-of-the-longest",
                "(max(len(other) for other, _ in beam) - 1)",
                "that of the longest, to which the others are padded, for example",
            ),
            (
                "length-of-the-longest-with-bos",
                "max(len(other) for other, _ in beam)",
                "that of the longest, bos included, to which the others are padded, for example",
            ),
            ("length-of-max-len", "(max_len - 1)", "max_len - 1"),
            ("length-of-max-len-with-bos", "max_len", "max_len"),
            ("length-of-the-best", "(len(beam[0][0]) - 1)", "that of the one with the best sum"),
        )
    ),
    *(
        Mistake(
            f"padding-returned{ending}",
            find=SCORED,
            replace="    longest = max(len(tokens) for tokens, _ in beam)\n"
            f"    scored = [(tokens, total / {length} ** length_penalty) for tokens, total in beam]\n"
            "    scored = [(each + [eos_id] * (longest - len(each)), score) for each, score in scored]\n",
            says=f"You return finished hypotheses with more eos behind their eos, as padding{also}. A "
            "hypothesis ends with its first eos: cut off what follows.",
        )
        for ending, length, also in (
            ("", "(len(tokens) - 1)", ""),
            ("-and-counted", "(longest - 1)", ", which counts in their length too"),
        )
    ),
    Mistake(
        "lengths-stay-in-their-slots",
        find="    for _ in range(max_len - 1):\n",
        replace="    lengths = [0] * beam_width\n    for step in range(max_len - 1):\n",
        also=(
            (
                "        beam = candidates[:beam_width]\n",
                """\
        beam = candidates[:beam_width]
        for slot, (tokens, _) in enumerate(beam):
            lengths[slot] += len(tokens) == step + 2  # not finished before
""",
            ),
            (
                SCORED,
                """\
    scored = [
        (tokens, total / max(lengths[slot], 1) ** length_penalty)
        for slot, (tokens, total) in enumerate(beam)
    ]
""",
            ),
        ),
        says="Your lengths stay where they are when the beam is put in a new order, so the penalty divides "
        "by that of another hypothesis. Take them along with the tokens and the sums (lengths[parent]), or "
        "count the tokens at the end.",
    ),
    *(
        Mistake(
            f"length-by-{way}-{what}",
            find=SCORED,
            replace=f"""\
    lengths = [max({length}, 1) for tokens, _ in beam]
    scored = [
        (tokens[: 1 + length], total / length ** length_penalty)
        for (tokens, total), length in zip(beam, lengths, strict=True)
    ]
""",
            says=f"You take {which} for padding, and find the lengths again {how}. But it is a token like "
            "any other here, and may follow inside of a hypothesis or stand at its end: such a hypothesis "
            "loses tokens. Keep each length, or look for the first eos_id.",
        )
        for what, pad, which in (("all-but-bos", "bos_id", "bos_id"), ("all-but-0", "0", "the id 0"))
        for way, length, how in (
            (
                "counting",
                f"sum(token != {pad} for token in tokens[1:])",
                "by counting the other tokens",
            ),
            (
                "the-last-of",
                f"max([place for place, token in enumerate(tokens) if token != {pad}], default=0)",
                "by taking it away from the end",
            ),
        )
    ),
    Mistake(
        "no-penalty-for-a-single-beam",
        find="(len(tokens) - 1) ** length_penalty",
        replace="(len(tokens) - 1) ** (length_penalty if beam_width > 1 else 0)",
        says="With a beam of one you return the sum itself: a greedy short cut leaves out the penalty. There "
        "is nothing to order, but the score is sum / length**length_penalty there, too.",
    ),
]
