"""Known wrong versions of `bpe`."""

from grader.kit import Mistake

OF_TRAINING = '    ids = list(text.encode("utf-8"))\n    merges: list'
OF_ENCODING = '    ids = list(text.encode("utf-8"))\n    for new_id, pair'
BY_RANK = """\
    for new_id, pair in enumerate(merges, start=256):
        ids = _merge(ids, pair, new_id)
    return ids"""
ROUNDS = "    for new_id in range(256, 256 + num_merges):"
MOST = "pair = max(counts, key=counts.__getitem__, default=None)"

MISTAKES = [
    Mistake(
        "characters-instead-of-bytes",
        find=OF_TRAINING,
        replace="    ids = [ord(letter) for letter in text]\n    merges: list",
        also=((OF_ENCODING, "    ids = [ord(letter) for letter in text]\n    for new_id, pair"),),
        says="You start from characters. A character beyond ASCII then has an id that is another byte's "
        "or a merge's, and most of Unicode has none. Start from the bytes of UTF-8: 256 ids are enough "
        "for any text.",
    ),
    Mistake(
        "trained-on-characters",
        find=OF_TRAINING,
        replace="    ids = [ord(letter) for letter in text]\n    merges: list",
        says="You train on characters and encode bytes, so merges of characters beyond ASCII never apply. "
        "Both start from the bytes of UTF-8.",
    ),
    Mistake(
        "pairs-inside-of-words-only",
        find="Counter(pairwise(ids))",
        replace="Counter(pair for pair in pairwise(ids) if not {32, 10} & set(pair))",
        says="You count pairs inside of words only (after a split, for example). Here the text is one "
        "sequence: a space or a line's end is a byte like any other, and has neighbours.",
    ),
    *(
        Mistake(
            f"pairs-inside-of-words-with-{what}",
            find=OF_TRAINING,
            replace=f"""\
    import re

    words = [list(word.encode("utf-8")) for word in re.findall(r"{pattern}", text)]
    merges: list""",
            also=(
                ("Counter(pairwise(ids))", "Counter(pair for word in words for pair in pairwise(word))"),
                (
                    "        ids = _merge(ids, pair, new_id)\n    return merges",
                    "        words = [_merge(word, pair, new_id) for word in words]\n    return merges",
                ),
            ),
            says=f"You cut the text into words, each with {said}, and count no pair that lies across a cut. "
            "Here the text is one sequence: all neighbours are pairs.",
        )
        for what, pattern, said in (
            ("a-space", r" ?\S+|\s+", "the space in front of it"),
            ("what-is-before", r"\s*\S+|\s+", "the spaces and line ends in front of it"),
            ("what-is-behind", r"\S+\s*|\s+", "the spaces and line ends behind it"),
        )
    ),
    Mistake(
        "merges-as-lists",
        find="merges.append(pair)",
        replace="merges.append(list(pair))",
        also=((BY_RANK, BY_RANK.replace("_merge(ids, pair,", "_merge(ids, tuple(pair),")),),
        says="Your merges are lists. They are tuples of two ints, which can be compared with pairs of "
        "neighbours and be the keys of a dict.",
    ),
    Mistake(
        "ties-by-largest-pair",
        find=MOST,
        replace="pair = max(counts, key=lambda each: (counts[each], each), default=None)",
        says="Of equally frequent pairs you merge the one with the largest ids (as max over (count, pair) "
        "does). The one that comes first in the present sequence is asked for.",
    ),
    Mistake(
        "ties-by-smallest-pair",
        find=MOST,
        replace="pair = min(counts, key=lambda each: (-counts[each], each), default=None)",
        says="Of equally frequent pairs you merge the one with the smallest ids. The one that comes first "
        "in the present sequence is asked for.",
    ),
    Mistake(
        "ties-by-last-seen",
        find=MOST,
        replace="pair = max(reversed(counts), key=counts.__getitem__, default=None)",
        says="Of equally frequent pairs you merge the one that turns up last (`>=` while looking for the "
        "largest count does that). The one that comes first in the present sequence is asked for.",
    ),
    Mistake(
        "ties-by-whoever-gets-there-first",
        find="        counts = Counter(pairwise(ids))\n",
        replace="""\
        all_pairs = list(pairwise(ids))
        counts = Counter(all_pairs)
        most = max(counts.values(), default=0)
        reached = [i for i, each in enumerate(all_pairs) if all_pairs[: i + 1].count(each) == most]
""",
        also=((MOST, "pair = all_pairs[reached[0]] if reached else None"),),
        says="Of equally frequent pairs you merge the one whose count is complete first (comparing while "
        "counting does that). The one whose first place is first in the present sequence is asked for.",
    ),
    Mistake(
        "ties-by-first-ever-seen",
        find=f"{ROUNDS}\n        counts = Counter(pairwise(ids))\n",
        replace=f"""\
    counts: dict = {{}}
{ROUNDS}
        now = Counter(pairwise(ids))
        counts = {{each: now[each] for each in (*counts, *now) if each in now}}
""",
        says="Of equally frequent pairs you merge the one that was there first in training, maybe rounds "
        "before (a table of counts that is kept up to date holds its pairs in that order, for example). The "
        "one that comes first in the present sequence is asked for: count anew, or look there.",
    ),
    Mistake(
        "single-pairs-merged",
        find="if pair is None or counts[pair] < 2:",
        replace="if pair is None:",
        says="You go on merging pairs that occur only once: that makes the text shorter by heart, until "
        "one token is left, and nothing else. Stop when no pair occurs twice.",
    ),
    Mistake(
        "twice-is-not-enough",
        find="counts[pair] < 2:",
        replace="counts[pair] <= 2:",
        says="You stop at pairs that occur twice. Those are still merged; training ends when none occurs "
        "twice.",
    ),
    Mistake(
        "most-frequent-of-nothing",
        find="key=counts.__getitem__, default=None)\n        if pair is None or counts[pair] < 2:",
        replace="key=counts.__getitem__)\n        if counts[pair] < 2:",
        says="You ask for the most frequent pair where there is none: a text of fewer than two ids, from "
        "the start or after merges, has no pairs. Training just ends there.",
    ),
    Mistake(
        "overlaps-not-counted",
        find="        counts = Counter(pairwise(ids))\n",
        replace="""\
        counts, last = Counter(), None
        for each in pairwise(ids):
            if each == last:
                last = None
            else:
                counts[each] += 1
                last = each
""",
        says="You do not count pairs that overlap with one counted before: 'aaa' has (a, a) twice, though "
        "it can be merged only once. All neighbouring pairs count.",
    ),
    Mistake(
        "counted-once",
        find=f"{ROUNDS}\n        counts = Counter(pairwise(ids))\n",
        replace="""\
    counts = Counter(pairwise(ids))
    for new_id in range(256, 256 + num_merges):
        if merges:
            del counts[merges[-1]]
""",
        says="You count the pairs of the bytes once and merge the most frequent of these one after the "
        "other. Every merge makes new pairs and takes others away: count anew after each.",
    ),
    Mistake(
        "one-occurrence-merged",
        find="        if place + 1 < len(ids) and (ids[place], ids[place + 1]) == pair:",
        replace="        if new_id not in merged and (ids[place], *ids[place + 1 : place + 2]) == pair:",
        says="You replace one occurrence of the pair and leave the others. A merge replaces its pair "
        "everywhere in the sequence.",
    ),
    Mistake(
        "one-skipped-instead-of-two",
        find="            place += 2",
        replace="            place += 1",
        says="After a merge you go on with the second id of the pair, so it stays in the sequence (and "
        "may be merged once more). Both ids are used up: go on two places further.",
    ),
    Mistake(
        "merged-from-the-right",
        find="    merged = []\n    place = 0",
        replace="    merged = []\n    place = 0\n    ids, pair = ids[::-1], pair[::-1]",
        also=(("    return merged\n", "    return merged[::-1]\n"),),
        says='You replace pairs from the right: "aaa" becomes a, aa. From left to right it is aa, a.',
    ),
    Mistake(
        "last-id-dropped",
        find="    while place < len(ids):",
        replace="    while place < len(ids) - 1:",
        says="Your loop ends before the last id, so it is lost unless it is part of a pair. It has no "
        "neighbour on its right, and is taken over as it is.",
    ),
    Mistake(
        "last-pair-missed",
        find="place + 1 < len(ids) and",
        replace="place + 2 < len(ids) and",
        says="You never merge the last two ids. The last pair begins at len(ids) - 2.",
    ),
    Mistake(
        "last-pair-not-counted",
        find="pairwise(ids)",
        replace="zip(ids[:-2], ids[1:-1], strict=False)",
        says="You do not count the last pair. n ids have n - 1 pairs: zip(ids, ids[1:]).",
    ),
    Mistake(
        "decoded-token-by-token",
        find='    return data.decode("utf-8", errors="replace")',
        replace='    return "".join(tokens[each].decode("utf-8", errors="replace") for each in ids)',
        says="You decode each token by itself. A token may be a part of a character, which then becomes "
        "U+FFFD several times: join the bytes of all tokens first.",
    ),
    Mistake(
        "decoded-strictly",
        find='"utf-8", errors="replace"',
        replace='"utf-8"',
        says="Bytes that are no UTF-8 raise an exception. A model may write any sequence of tokens, also "
        "half a character: decode with errors='replace'.",
    ),
    Mistake(
        "errors-ignored",
        find='"utf-8", errors="replace"',
        replace='"utf-8", errors="ignore"',
        says="You drop bytes that are no UTF-8. They should become U+FFFD (errors='replace'), so that one "
        "sees that something was there.",
    ),
    Mistake(
        "bytes-taken-for-characters",
        find='data.decode("utf-8", errors="replace")',
        replace='"".join(chr(byte) for byte in data)',
        says="You turn each byte into the character with that number (chr, or latin-1). Characters beyond "
        "ASCII have several bytes in UTF-8: decode all of them together.",
    ),
    Mistake(
        "new-ids-from-255",
        find=ROUNDS,
        replace="    for new_id in range(255, 255 + num_merges):",
        also=(
            ("enumerate(merges, start=256)", "enumerate(merges, start=255)"),
            ("range(256)]", "range(255)]"),
        ),
        says="Your first merge makes the id 255, which is a byte. The bytes have 0 to 255; new ids begin "
        "at 256.",
    ),
    Mistake(
        "new-ids-from-257",
        find=ROUNDS,
        replace="    for new_id in range(257, 257 + num_merges):",
        also=(
            ("enumerate(merges, start=256)", "enumerate(merges, start=257)"),
            ("range(256)]", "range(256)] + [b'']"),
        ),
        says="Your first merge makes the id 257. The bytes have 0 to 255, and no special token is asked "
        "for: new ids begin at 256.",
    ),
]
