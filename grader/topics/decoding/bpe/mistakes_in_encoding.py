"""Known wrong versions of how `bpe` encodes: which merge comes when, and which id a merge has."""

from grader.kit import Mistake

OF_ENCODING = '    ids = list(text.encode("utf-8"))\n    for new_id, pair'
BY_RANK = """\
    for new_id, pair in enumerate(merges, start=256):
        ids = _merge(ids, pair, new_id)
    return ids"""
ROUNDS = "    for new_id in range(256, 256 + num_merges):"

MISTAKES = [
    Mistake(
        "one-merge-only",
        find=BY_RANK,
        replace="""\
    for new_id, pair in enumerate(merges, start=256):
        if pair in pairwise(ids):
            return _merge(ids, pair, new_id)
    return ids""",
        says="You apply one merge, the one with the lowest rank that is there, and stop. Go on until none "
        "of the merges applies any more.",
    ),
    Mistake(
        "lowest-rank-of-nothing",
        find=BY_RANK,
        replace="""\
    ranks = {pair: new_id for new_id, pair in enumerate(merges, start=256)}
    while True:
        pair = min(pairwise(ids), key=lambda each: ranks.get(each, float("inf")))
        if pair not in ranks:
            return ids
        ids = _merge(ids, pair, ranks[pair])""",
        says="You ask for the pair with the lowest rank where there is none: with fewer than two ids, "
        "from the start or after merges, there are no pairs. Then nothing is left to merge.",
    ),
    Mistake(
        "longest-token-first",
        find=BY_RANK,
        replace="""\
    tokens = {bytes([byte]): byte for byte in range(256)}
    spelled = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
        tokens[spelled[-1]] = len(spelled) - 1
    data, ids = bytes(ids), []
    while data:
        length = max(n for n in range(1, len(data) + 1) if data[:n] in tokens)
        ids.append(tokens[data[:length]])
        data = data[length:]
    return ids""",
        says="You take the longest token that fits at each place. Tokens come about by merges, in the "
        "order of training: a pair that was learned early may have used up a part of that token. Apply "
        "the merges by rank.",
    ),
    Mistake(
        "longest-token-first-and-the-first-of-equals",
        find=BY_RANK,
        replace="""\
    tokens = {bytes([byte]): byte for byte in range(256)}
    spelled = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
        tokens.setdefault(spelled[-1], len(spelled) - 1)
    data, ids = bytes(ids), []
    while data:
        length = max(n for n in range(1, len(data) + 1) if data[:n] in tokens)
        ids.append(tokens[data[:length]])
        data = data[length:]
    return ids""",
        says="You look up the longest token that fits at each place, and of two with the same bytes the one "
        "that was learned first. What the merges make of a text may be other tokens: apply them by rank.",
    ),
    Mistake(
        "first-place-first",
        find=BY_RANK,
        replace="""\
    ranks = {pair: new_id for new_id, pair in enumerate(merges, start=256)}
    place = 0
    while place < len(ids) - 1:
        pair = (ids[place], ids[place + 1])
        if pair in ranks:
            ids[place : place + 2] = [ranks[pair]]
            place = 0
        else:
            place += 1
    return ids""",
        says="You merge the first pair from the left that has any merge. The rank decides, not the place: "
        "the merge that was learned first is applied first, wherever it is.",
    ),
    Mistake(
        "last-learned-first",
        find="    for new_id, pair in enumerate(merges, start=256):",
        replace="    for new_id, pair in reversed(list(enumerate(merges, start=256))):",
        says="You apply the merges from the last to the first. A later one needs the ids that earlier "
        "ones make: begin with the one that was learned first.",
    ),
    Mistake(
        "one-round-of-ranks",
        find=BY_RANK,
        replace="""\
    ranks = {pair: new_id for new_id, pair in enumerate(merges, start=256)}
    there = {pair for pair in pairwise(ids) if pair in ranks}
    for pair in sorted(there, key=ranks.__getitem__):
        ids = _merge(ids, pair, ranks[pair])
    return ids""",
        says="You look once which merges apply to the bytes. Each merge makes new pairs, which later ones "
        "apply to: go on until none applies.",
    ),
    Mistake(
        "ids-remembered-by-the-text-alone",
        find=OF_ENCODING,
        replace="    if text not in KEPT:\n"
        "        KEPT[text] = _ids_of(text, merges)\n"
        "    return list(KEPT[text])\n\n\n"
        "KEPT: dict = {}\n\n\n"
        "def _ids_of(text, merges):\n" + OF_ENCODING,
        says="You remember the ids of a text, and give them again when the same text comes with other "
        "merges. They depend on both: remember nothing, or by both.",
    ),
    Mistake(
        "ends-at-rank-0",
        find=BY_RANK,
        replace="""\
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    while there := set(pairwise(ids)):
        pair = min(there, key=lambda each: ranks.get(each, float("inf")))
        if not ranks.get(pair):
            break
        ids = _merge(ids, pair, 256 + ranks[pair])
    return ids""",
        says="Your encode ends where it finds the pair of rank 0, as where it finds none (`if not rank:` is "
        "true of 0 and of None). So a text with the first merge's pair in it stays in bytes: ask `is None`.",
    ),
    Mistake(
        "rank-0-passed-over",
        find=BY_RANK,
        replace="""\
    for new_id, pair in enumerate(merges[1:], start=257):
        ids = _merge(ids, pair, new_id)
    return ids""",
        says="Your encode never applies the first merge (`if ranks.get(pair):` is false of rank 0, for "
        "example). In training it was the most frequent one, and later ones may need its id.",
    ),
    Mistake(
        "trained-ids-from-257",
        find=ROUNDS,
        replace="    for new_id in range(257, 257 + num_merges):",
        says="In training your first merge makes the id 257 (256 + len(merges) after the pair has been "
        "appended, for example), so every id inside later merges is one too high: it is 256.",
    ),
    Mistake(
        "trained-ids-from-255",
        find=ROUNDS,
        replace="    for new_id in range(255, 255 + num_merges):",
        says="In training your first merge makes the id 255 (255 + len(merges) before the pair has been "
        "appended, for example), so every id inside later merges is one too low: it is 256.",
    ),
    Mistake(
        "encoded-ids-from-257",
        find=BY_RANK,
        replace=BY_RANK.replace("_merge(ids, pair, new_id)", "_merge(ids, pair, new_id + 1)"),
        says="Your encode gives merge i the id 257 + i, in training it has 256 + i. Merges of merges then do "
        "not apply, and decode spells another token.",
    ),
    Mistake(
        "encoded-from-code-points",
        find="""\
    ids = list(text.encode("utf-8"))
    for new_id, pair""",
        replace="""\
    ids = [ord(character) for character in text]
    for new_id, pair""",
        says="You encode from the characters' numbers (ord). Beyond ASCII a character is several bytes: "
        "begin with text.encode, as training does.",
    ),
    Mistake(
        "pairs-as-numbers",
        find="        counts = Counter(pairwise(ids))\n",
        replace="        counts = Counter(512 * left + right for left, right in pairwise(ids))\n",
        also=(
            (
                "        merges.append(pair)\n        ids = _merge(ids, pair, new_id)",
                "        merges.append(divmod(pair, 512))\n        ids = _merge(ids, merges[-1], new_id)",
            ),
        ),
        says="In training you take pairs for others once ids grow beyond 511: you count, for example, "
        "numbers 512 * left + right, of which two pairs then share one. Count the pairs themselves: a tuple "
        "can be the key of a dict.",
    ),
    *(
        Mistake(
            f"ranks-by-numbers-of-{size}",
            find=BY_RANK,
            replace=f"""\
    ranks = {{{size} * left + right: rank for rank, (left, right) in enumerate(merges)}}
    while there := [
        number for left, right in pairwise(ids) if (number := {size} * left + right) in ranks
    ]:
        number = min(there, key=ranks.__getitem__)
        place = next(n for n, (left, right) in enumerate(pairwise(ids)) if {size} * left + right == number)
        ids[place : place + 2] = [256 + ranks[number]]
    return ids""",
            says=f"Your encode takes a pair for another where an id is {size} or more: for example, it looks "
            f"for the number {size} * left + right, which two pairs then share. Look for the pair itself: a "
            "tuple can be the key of a dict.",
        )
        for size in (512, 1000, 1024)
    ),
    Mistake(
        "ranks-kept-by-the-list",
        find=BY_RANK,
        replace="""\
    ranks = next((kept for own, kept in _ranks if own is merges), None)
    if ranks is None:
        ranks = {pair: rank for rank, pair in enumerate(merges)}
        _ranks.append((merges, ranks))
    while there := [pair for pair in pairwise(ids) if pair in ranks]:
        pair = min(there, key=ranks.__getitem__)
        ids = _merge(ids, pair, 256 + ranks[pair])
    return ids""",
        also=(("def encode(", "_ranks: list = []\n\n\ndef encode("),),
        says="You keep what you made of the list `merges` by the list itself, and find it again where it is "
        "the same list: a caller that has changed it in place (added a merge, say) gets ids by the old ones. "
        "Make it in each call, or keep it by what the list holds (as a tuple).",
    ),
]
