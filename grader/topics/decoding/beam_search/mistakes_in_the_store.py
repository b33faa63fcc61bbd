"""Known wrong versions of `beam_search` that put finished hypotheses into a store of their own, where they
take no place of the beam. Beam searches of translation models do so.
"""

from grader.kit import Mistake

STEPS = """\
    beam = [([bos_id], 0.0)]  # (tokens, sum of log-probabilities), best first
    for _ in range(max_len - 1):
        finished = [(tokens, total) for tokens, total in beam if tokens[-1] == eos_id]
        unfinished = [(tokens, total) for tokens, total in beam if tokens[-1] != eos_id]
        if not unfinished:
            break
"""
CHOICE = """\
        best = totals.flatten().topk(min(beam_width, totals.numel()))
        candidates = finished
        for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            parent, token = divmod(place, totals.shape[1])
            if total > -torch.inf:
                candidates.append((unfinished[parent][0] + [token], total))
        candidates.sort(key=lambda hypothesis: hypothesis[1], reverse=True)
        beam = candidates[:beam_width]
"""
RETURN = "    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)"
RANKED = """\
        best = totals.flatten().sort(descending=True)
        candidates = []
        for rank, (total, place) in enumerate(zip(best.values.tolist(), best.indices.tolist(), strict=True)):
            parent, token = divmod(place, totals.shape[1])
            if total == -torch.inf or {full}:
                break
            tokens = unfinished[parent][0] + [token]
            if token != eos_id:
                candidates.append((tokens, total))
            elif {counts}:
                store.append((tokens, total))
        unfinished = candidates[:beam_width]
"""
BY_SUM = """\
    store = sorted(store, key=lambda hypothesis: hypothesis[1], reverse=True)[:beam_width]
"""


RANKS = {
    "": "rank < beam_width",
    "-whatever-its-rank": "True",
    "-among-twice-as-many": "True",
}
"""Of the extensions that end, which are stored: those among the beam_width best; all that come before the
beam is full; those among the 2 * beam_width best.
"""


def _stored(id: str, filled: bool, rank: str, stops: bool, rest: str, by_sum: bool, says: str) -> Mistake:
    """`filled`: up to beam_width unfinished ones go on. `rank`: one of `RANKS`. `stops`: when beam_width are
    stored. `rest`: when unfinished ones are returned, too. `by_sum`: those that are returned are chosen by
    their sums, and not by their scores.
    """
    enough = " or len(store) >= beam_width" if stops else ""
    full = "len(candidates) == beam_width" if filled else "rank == beam_width"
    if rank == "-among-twice-as-many":
        full = "rank == 2 * beam_width"
    trim = "        " + BY_SUM.strip() + "\n" if by_sum else ""
    return Mistake(
        id,
        find=STEPS,
        replace=f"""\
    unfinished, store = [([bos_id], 0.0)], []
    for _ in range(max_len - 1):
        if not unfinished{enough}:
            break
""",
        also=(
            (
                CHOICE,
                RANKED.format(full=full, counts=RANKS[rank])
                + trim
                + f"    if {rest}:\n        store += unfinished\n"
                + (BY_SUM if by_sum else "")
                + "    beam = store\n",
            ),
            (RETURN, RETURN + "[:beam_width]"),
        ),
        says=says,
    )


MISTAKES = [
    _stored(
        "stored"
        + ("" if filled else "-without-filling-up")
        + rank
        + ("" if alike else "-until-enough" if stops else "-until-max-len")
        + ("-and-the-unfinished" if rest == "True" else "")
        + ("-by-sum" if by_sum else "-by-score"),
        filled,
        rank,
        stops,
        rest,
        by_sum,
        "You put finished hypotheses aside, where they take no place of the beam, "
        + ("and fill it up with unfinished ones" if filled else "and go on with the unfinished ones")
        + (", until there are beam_width finished ones" if stops and not alike else "")
        + ". That is a common variant, not this one: a finished hypothesis takes a place of the beam as long "
        "as it is among the beam_width best, is gone when it is not, and the search ends when *all* kept "
        "hypotheses are finished, or at max_len.",
    )
    for filled in (True, False)
    for rank in (RANKS if filled else ("",))
    for stops in (True, False)
    for rest in ("True", "len(store) < beam_width")
    for by_sum in (True, False)
    # Whether these go on when there are enough shows too seldom: one sentence for both.
    for alike in (by_sum and rest != "True",)
    # The other two are in `mistakes.py`.
    if (filled or by_sum or rest != "True") and (stops or not alike)
    # These come to the same by sum.
    if (rank, stops, rest, by_sum) != ("-among-twice-as-many", True, "len(store) < beam_width", False)
]
