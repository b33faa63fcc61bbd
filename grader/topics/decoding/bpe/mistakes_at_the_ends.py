"""Known wrong versions of where `bpe` stops, and of what decoding knows of the merges."""

from grader.kit import Mistake

BY_RANK = """\
    for new_id, pair in enumerate(merges, start=256):
        ids = _merge(ids, pair, new_id)
    return ids"""
ROUNDS = "    for new_id in range(256, 256 + num_merges):"
TOKENS = """\
    tokens = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
"""
DECODED = '    return data.decode("utf-8", errors="replace")'

MISTAKES = [
    Mistake(
        "merges-taken-for-the-vocabulary",
        find=ROUNDS,
        replace="    for new_id in range(256, num_merges):",
        says="You take num_merges for the size of the vocabulary, so nothing is learned below 257. It counts "
        "the merges alone, without the 256 bytes.",
    ),
    Mistake(
        "one-merge-too-few",
        find=ROUNDS,
        replace="    for new_id in range(256, 255 + num_merges):",
        says="You learn one merge less than num_merges. There are at most so many.",
    ),
    Mistake(
        "one-merge-too-many",
        find=ROUNDS,
        replace="    for new_id in range(256, 257 + num_merges):",
        says="You learn one merge more than num_merges, also where it is 0. There are at most so many.",
    ),
    Mistake(
        "stripped",
        find='    ids = list(text.encode("utf-8"))\n    merges: list',
        replace='    ids = list(text.strip().encode("utf-8"))\n    merges: list',
        says="You train on a text without the spaces and line ends around it. Every byte counts.",
    ),
    Mistake(
        "one-single-pair-merged",
        find="""\
        if pair is None or counts[pair] < 2:
            break
        merges.append(pair)
        ids = _merge(ids, pair, new_id)
""",
        replace="""\
        if pair is None:
            break
        merges.append(pair)
        ids = _merge(ids, pair, new_id)
        if counts[pair] < 2:
            break
""",
        says="You stop one merge too late: a pair that stands there only once is learned, and then training "
        "ends. For example, you ask for the count behind the merge, or the loop's condition looks at the one "
        "of the round before. Ask before you merge.",
    ),
    Mistake(
        "trained-in-lower-case",
        find='    ids = list(text.encode("utf-8"))\n    merges: list',
        replace='    ids = list(text.lower().encode("utf-8"))\n    merges: list',
        says="You train on the text in lower case. A and a are other bytes, and both have to come back.",
    ),
    Mistake(
        "two-ids-left-alone",
        find=BY_RANK,
        replace="""\
    for new_id, pair in enumerate(merges, start=256):
        if len(ids) > 2:
            ids = _merge(ids, pair, new_id)
    return ids""",
        says="Your encode stops when two ids are left. They are a pair, too: go on while there are two.",
    ),
    Mistake(
        "ends-at-a-merge-that-is-not-there",
        find=BY_RANK,
        replace="""\
    for new_id, pair in enumerate(merges, start=256):
        if pair not in pairwise(ids):
            break
        ids = _merge(ids, pair, new_id)
    return ids""",
        says="Your encode ends at the first merge whose pair is not in the text. Later ones may be: go on "
        "with the next (continue instead of break).",
    ),
    Mistake(
        "ranked-by-bytes",
        find=BY_RANK,
        replace="""\
    spelled = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
    ranks = {}
    for each, token in enumerate(spelled):
        ranks.setdefault(token, each)
    parts = [bytes([each]) for each in ids]
    while there := [left + right for left, right in pairwise(parts) if left + right in ranks]:
        token = min(there, key=ranks.__getitem__)
        place = next(n for n, (left, right) in enumerate(pairwise(parts)) if left + right == token)
        parts[place : place + 2] = [token]
    return [ranks[each] for each in parts]""",
        says="You rank two neighbours by the bytes that they make together, as tiktoken's tables do. Another "
        "pair may spell the same token, and is not merged: what counts is the pair of ids.",
    ),
    Mistake(
        "most-frequent-merge-first",
        find=BY_RANK,
        replace="""\
    ranks = {pair: new_id for new_id, pair in enumerate(merges, start=256)}
    while there := Counter(pair for pair in pairwise(ids) if pair in ranks):
        pair = max(there, key=there.__getitem__)
        ids = _merge(ids, pair, ranks[pair])
    return ids""",
        says="Your encode counts again, and begins with the merge that is most frequent in this text. The "
        "order is that of training: by rank.",
    ),
    Mistake(
        "highest-rank-first",
        find=BY_RANK,
        replace="""\
    ranks = {pair: new_id for new_id, pair in enumerate(merges, start=256)}
    while there := [pair for pair in pairwise(ids) if pair in ranks]:
        pair = max(there, key=ranks.__getitem__)
        ids = _merge(ids, pair, ranks[pair])
    return ids""",
        says="Of the merges that apply your encode takes the one that was learned last. The first one comes "
        "first: min, not max.",
    ),
    Mistake(
        "first-occurrence-of-each-merge",
        find=BY_RANK,
        replace="""\
    for new_id, pair in enumerate(merges, start=256):
        there = list(pairwise(ids))
        if pair in there:
            place = there.index(pair)
            ids[place : place + 2] = [new_id]
    return ids""",
        says="Your encode applies each merge where its pair stands first, and leaves the others. It is "
        "applied wherever the pair stands.",
    ),
    Mistake(
        "encoded-from-the-right",
        find=BY_RANK,
        replace=BY_RANK.replace("_merge(ids, pair, new_id)", "_merge(ids[::-1], pair[::-1], new_id)[::-1]"),
        says="Your encode replaces pairs from the right (though training does not): where they overlap, "
        "aaa becomes a, aa. From left to right it is aa, a.",
    ),
    Mistake(
        "tokens-of-two-bytes",
        find="        tokens.append(tokens[left] + tokens[right])\n",
        replace="        tokens.append(bytes([left, right]))\n",
        says="You take both parts of a merge for bytes. They may be merges themselves, with ids from 256 on: "
        "join what each part stands for.",
    ),
    Mistake(
        "tokens-remembered-by-the-number-of-merges",
        find=TOKENS,
        replace="    if len(merges) not in KEPT:\n"
        "        KEPT[len(merges)] = _spelled(merges)\n"
        "    tokens = KEPT[len(merges)]\n",
        also=(
            (
                "def _merge(",
                f"KEPT: dict = {{}}\n\n\ndef _spelled(merges):\n{TOKENS}    return tokens\n\n\ndef _merge(",
            ),
        ),
        says="You remember what tokens stand for, and take it again for other merges (of the same number, "
        "for example). Remember nothing, or by the merges themselves.",
    ),
    Mistake(
        "tokens-never-replaced",
        find=TOKENS,
        replace="""\
    tokens = KEPT
    for left, right in merges[len(tokens) - 256 :]:
        tokens.append(tokens[left] + tokens[right])
""",
        also=(("def _merge(", "KEPT = [bytes([byte]) for byte in range(256)]\n\n\ndef _merge("),),
        says="What an id stands for stays from one call to the next (in one vocabulary for all calls, for "
        "example), so merges that come later are decoded with the tokens of earlier ones. The ids of merges "
        "have the meaning that this call's merges give them: make it anew each time.",
    ),
    Mistake(
        "unfinished-end-dropped",
        find=DECODED,
        replace="    import codecs\n\n"
        '    return codecs.getincrementaldecoder("utf-8")(errors="replace").decode(data)',
        says="An unfinished character at the very end is lost (an incremental decoder without final=True "
        "waits for the rest, for example). It becomes U+FFFD.",
    ),
    Mistake(
        "one-replacement-for-the-whole-text",
        find=DECODED,
        replace='    try:\n        return data.decode("utf-8")\n'
        '    except UnicodeDecodeError:\n        return "\\ufffd"',
        says="Where anything is invalid you give one U+FFFD for the whole text. Only what is invalid is "
        "replaced: errors='replace'.",
    ),
    Mistake(
        "question-marks",
        find=DECODED,
        replace=DECODED + '.replace("\\ufffd", "?")',
        says="What is no UTF-8 becomes a question mark, as errors='replace' gives in encoding. It is U+FFFD.",
    ),
    Mistake(
        "text-stripped",
        find=DECODED,
        replace='    return data.decode("utf-8", errors="replace").strip()',
        says="You strip the decoded text of spaces and line ends. They are part of it.",
    ),
    Mistake(
        "single-replacement-is-not-enough",
        find="""\
        merges.append(pair)
        ids = _merge(ids, pair, new_id)
""",
        replace="""\
        ids = _merge(ids, pair, new_id)
        if ids.count(new_id) < 2:
            break
        merges.append(pair)
""",
        says="You end training where the most frequent pair is replaced only once. What counts is how often "
        "it occurs, overlapping ones too: 'aaa' has (a, a) twice, so it is learned, though only one of them "
        "can be replaced.",
    ),
]
