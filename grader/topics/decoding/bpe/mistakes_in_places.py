"""Known wrong versions of `bpe`: places found before anything is merged, counts kept from round to round."""

from grader.kit import Mistake

MERGED = """\
    merged = []
    place = 0
    while place < len(ids):
        if place + 1 < len(ids) and (ids[place], ids[place + 1]) == pair:
            merged.append(new_id)
            place += 2
        else:
            merged.append(ids[place])
            place += 1
    return merged
"""
ROUNDS = """\
    for new_id in range(256, 256 + num_merges):
        counts = Counter(pairwise(ids))
        # A dict keeps the order in which its keys came, and max takes the first of equals.
        pair = max(counts, key=counts.__getitem__, default=None)
"""
STARTS = "    starts = [place for place, each in enumerate(pairwise(ids)) if each == pair]\n"
KEPT = """\
        found, done = [], 0
        while done < len(ids):
            if tuple(ids[done : done + 2]) != pair:
                found.append(ids[done])
                done += 1
                continue
            if done > 0:
                left = {left}
                counts[left, pair[0]] -= {taken}
                counts[left, new_id] += 1
            if done + 2 < len(ids):
                counts[pair[1], ids[done + 2]] -= {taken}
                counts[new_id, ids[done + 2]] += 1
            found.append(new_id)
            done += 2
        del counts[pair]
        ids = found
"""


def kept(
    name: str, says: str, pairs: str, left: str = "found[-1]", taken: int = 1, one_by_one: bool = False
) -> Mistake:
    """The counts of pairs are made once, and changed around every place that is merged."""
    loop = KEPT.format(left=left, taken=taken)
    if one_by_one:
        loop = loop.replace("        del counts[pair]\n", "")
        loop = loop.replace(
            "            done += 2\n", "            done += 2\n            counts[pair] -= 1\n"
        )
    return Mistake(
        name,
        find=ROUNDS,
        replace=f"""\
    counts = Counter(pairwise(ids))
    for new_id in range(256, 256 + num_merges):
        pair = max({pairs}, key=counts.__getitem__, default=None)
""",
        also=(
            (
                "        ids = _merge(ids, pair, new_id)\n    return merges",
                loop + "    return merges",
            ),
        ),
        says=says,
    )


MISTAKES = [
    Mistake(
        "overlapping-places-merged",
        find=MERGED,
        replace=f"""\
{STARTS}    return [
        new_id if place in starts else each for place, each in enumerate(ids) if place - 1 not in starts
    ]
""",
        says="Where a pair overlaps with itself you lose ids: of aaaa only one aa is left. All its places "
        "are found first, for example, and a place counts whose left half is used up already. Go from left "
        "to right, and two ids further after each merge.",
    ),
    Mistake(
        "overlapping-places-all-become-tokens",
        find=MERGED,
        replace=f"""\
{STARTS}    return [
        new_id if place in starts else each
        for place, each in enumerate(ids)
        if place in starts or place - 1 not in starts
    ]
""",
        says="Where a pair overlaps with itself you merge it at every place: aaa becomes aa, aa, which "
        "stands for four letters. Both ids are used up by a merge: go two places further.",
    ),
    Mistake(
        "places-of-before-the-first-merge",
        find=MERGED,
        replace="""\
    starts, place = [], 0
    while place + 1 < len(ids):
        is_there = (ids[place], ids[place + 1]) == pair
        starts += [place] * is_there
        place += 1 + is_there
    ids = list(ids)
    for place in starts:
        ids[place : place + 2] = [new_id]
    return ids
""",
        says="You replace a pair at places that you found before, from left to right, though each merge "
        "moves all that is behind it by one: the second one hits other ids. Make a new list, or begin with "
        "the last place.",
    ),
    *(
        kept(
            f"counts-kept-with-neighbours-of-before{ending}",
            "You keep the counts of pairs from round to round, and change those around every place that is "
            "merged, but where two merged pairs stand side by side you take the left neighbour as it was "
            f"before{more}. It is the new id by then: take the last one of the new list, or count anew.",
            pairs,
            left="ids[done - 1]",
        )
        for ending, pairs, more in (
            ("", "pairwise(ids)", ""),
            (
                "-and-the-first-ever-seen",
                "counts",
                "; and of equally frequent pairs you take the one that came into the counts first",
            ),
        )
    ),
    *(
        kept(
            f"counts-kept-of-pairs-that-are-gone{ending}",
            "You keep the counts of pairs from round to round and add the new pairs, but never take off "
            f"those that the merged ids had with their neighbours before{more}. Take them off, or count "
            "anew.",
            pairs,
            taken=0,
        )
        for ending, pairs, more in (
            ("", "pairwise(ids)", ""),
            (
                "-and-the-first-ever-seen",
                "counts",
                "; and of equally frequent pairs you take the one that came into the counts first",
            ),
        )
    ),
    kept(
        "counts-kept-with-neighbours-of-before-one-by-one",
        "You keep the counts of pairs from round to round, and change those around every place that is "
        "merged, but where two merged pairs stand side by side you take the left neighbour as it was before, "
        "so that pairs keep counts though they are not there any more. It is the new id by then: take the "
        "last one of the new list, or count anew.",
        "[*dict.fromkeys(pairwise(ids)), *counts]",
        left="ids[done - 1]",
        one_by_one=True,
    ),
    Mistake(
        "places-next-to-a-place-dropped",
        find=MERGED,
        replace=f"""\
{STARTS}    starts = {{place for place in starts if place - 1 not in starts}}
    return [
        new_id if place in starts else each for place, each in enumerate(ids) if place - 1 not in starts
    ]
""",
        says="Where a pair overlaps with itself you merge its first place alone: aaaa becomes aa, a, a. All "
        "its places are found first, for example, and each is left out that stands behind another one, even "
        "if that is left out itself. Go from left to right, two ids further after each merge: aa, aa.",
    ),
]
