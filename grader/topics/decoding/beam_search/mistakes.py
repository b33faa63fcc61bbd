"""Known wrong versions of `beam_search`."""

from dataclasses import replace

from grader.kit import Mistake

FINISHED_DO_NOT_COMPETE = Mistake(
    "finished-ones-do-not-compete",
    find="""\
        candidates = finished
        for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            parent, token = divmod(place, totals.shape[1])
            if total > -torch.inf:
                candidates.append((unfinished[parent][0] + [token], total))
        candidates.sort(key=lambda hypothesis: hypothesis[1], reverse=True)
        beam = candidates[:beam_width]
    scored = [(tokens, total / (len(tokens) - 1) ** length_penalty) for tokens, total in beam]
    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)""",
    replace="""\
        candidates = []
        for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            parent, token = divmod(place, totals.shape[1])
            if total > -torch.inf:
                candidates.append((unfinished[parent][0] + [token], total))
        beam = finished + candidates
    scored = [(tokens, total / (len(tokens) - 1) ** length_penalty) for tokens, total in beam]
    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)[:beam_width]""",
    says="You set finished hypotheses aside, and go on with unfinished ones in their places of the beam. "
    "A finished hypothesis takes a place of the beam as long as it is among the beam_width best, "
    "and is gone when it is not.",
)


PARENT_BY_THE_BEAM_WIDTH = Mistake(
    "parent-by-the-beam-width",
    find="            parent, token = divmod(place, totals.shape[1])",
    replace="            parent, token = divmod(place, beam_width)",
    says="You divide the places by beam_width. A place in the flattened (beams, vocab) is "
    "beam * vocab + token: the parent is place // vocab, the token place % vocab.",
)


MISTAKES = [
    Mistake(
        "finished-ones-grow",
        find="""\
        finished = [(tokens, total) for tokens, total in beam if tokens[-1] == eos_id]
        unfinished = [(tokens, total) for tokens, total in beam if tokens[-1] != eos_id]
        if not unfinished:
            break""",
        replace="        finished, unfinished = [], beam",
        says="You extend finished hypotheses too, so tokens follow their eos and their sums go on falling. "
        "Once a hypothesis ends with eos_id it is taken to the next step as it is, and log_probs is never "
        "asked about it.",
    ),
    Mistake(
        "finished-ones-grow-until-all-end",
        find="""\
        finished = [(tokens, total) for tokens, total in beam if tokens[-1] == eos_id]
        unfinished = [(tokens, total) for tokens, total in beam if tokens[-1] != eos_id]
        if not unfinished:
            break""",
        replace="""\
        if all(tokens[-1] == eos_id for tokens, _ in beam):
            break
        finished, unfinished = [], beam""",
        says="You stop when all hypotheses end with eos, but until then you extend the finished ones too, "
        "so tokens follow their eos. Once a hypothesis ends with eos_id it is taken to the next step as it "
        "is, and log_probs is never asked about it.",
    ),
    Mistake(
        "width-per-beam",
        find="""\
        best = totals.flatten().topk(min(beam_width, totals.numel()))
        candidates = finished
        for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            parent, token = divmod(place, totals.shape[1])
            if total > -torch.inf:
                candidates.append((unfinished[parent][0] + [token], total))
        candidates.sort(key=lambda hypothesis: hypothesis[1], reverse=True)
        beam = candidates[:beam_width]""",
        replace="""\
        best = totals.topk(min(beam_width, totals.shape[1]), dim=1)
        candidates = finished
        for parent, row in enumerate(best.indices.tolist()):
            for token in row:
                if totals[parent, token] > -torch.inf:
                    candidates.append((unfinished[parent][0] + [token], float(totals[parent, token])))
        beam = candidates""",
        says="You keep beam_width extensions of every beam, so the beam grows with each step. beam_width "
        "counts over all: put the extensions of all beams (and the finished hypotheses) together, and keep "
        "the beam_width best.",
    ),
    Mistake(
        "each-beam-keeps-its-best",
        find="        best = totals.flatten().topk(min(beam_width, totals.numel()))",
        replace="""\
        if len(unfinished) > 1:
            totals = totals.masked_fill(totals < totals.max(dim=1, keepdim=True).values, -torch.inf)
        best = totals.flatten().topk(min(beam_width, totals.numel()))""",
        says="After the first step each of your beams goes on with its own best token, as independent greedy "
        "searches. The beams compete: one of them may have several of the best extensions, another none. "
        "Choose over all beams and tokens at once.",
    ),
    Mistake(
        "compared-by-average",
        find="candidates.sort(key=lambda hypothesis: hypothesis[1], reverse=True)",
        replace="candidates.sort(key=lambda hypothesis: hypothesis[1] / (len(hypothesis[0]) - 1), "
        "reverse=True)",
        says="You compare candidates by their average log-probability per token, which favours long ones. "
        "What is kept goes by the *sum*; the length counts only in the scores that are returned.",
    ),
    Mistake(
        "penalty-while-searching",
        find="candidates.sort(key=lambda hypothesis: hypothesis[1], reverse=True)",
        replace="candidates.sort(key=lambda hypothesis: hypothesis[1] / (len(hypothesis[0]) - 1) "
        "** length_penalty, reverse=True)",
        says="You apply the length penalty already when you choose what to keep. What is kept goes by the "
        "plain sum; the penalty acts on the returned scores and their order only.",
    ),
    Mistake(
        "finished-ones-dropped",
        find="        candidates = finished",
        replace="        candidates = []",
        says="You lose finished hypotheses: only extensions of unfinished ones are candidates for the next "
        "step. Finished hypotheses are candidates too, as they are.",
    ),
    FINISHED_DO_NOT_COMPETE,
    replace(
        FINISHED_DO_NOT_COMPETE,
        id="finished-ones-collected-until-enough",
        also=(("        if not unfinished:", "        if not unfinished or len(finished) >= beam_width:"),),
        says="You collect finished hypotheses beside the beam, where they take no place, and stop when "
        "beam_width have come. That is a common variant, not this one: a finished hypothesis takes a place "
        "of the beam as long as it is among the beam_width best, is gone when it is not, and the search ends "
        "when *all* kept hypotheses are finished, or at max_len.",
    ),
    Mistake(
        "stops-at-the-first-finished",
        find="        if not unfinished:",
        replace="        if finished:",
        says="You stop at the first finished hypothesis. The others go on: the search ends when *all* kept "
        "hypotheses are finished, or at max_len.",
    ),
    Mistake(
        "stops-when-the-best-is-finished",
        find="        if not unfinished:",
        replace="        if beam[0][0][-1] == eos_id:",
        says="You stop when the best hypothesis is finished. Nothing can overtake its sum any more, but the "
        "others (which a length penalty may put first) are still growing: the search ends when *all* kept "
        "hypotheses are finished, or at max_len.",
    ),
    Mistake(
        "one-step-too-many",
        find="range(max_len - 1)",
        replace="range(max_len)",
        says="Your hypotheses get max_len tokens after bos. max_len counts bos too, so there are "
        "max_len - 1 steps.",
    ),
    Mistake(
        "bos-counted",
        find="(len(tokens) - 1) ** length_penalty",
        replace="len(tokens) ** length_penalty",
        says="You count bos in the length. Only the tokens generated after it count, eos included: "
        "len(tokens) - 1.",
    ),
    Mistake(
        "eos-not-counted",
        find="total / (len(tokens) - 1) ** length_penalty",
        replace="total / max(len(tokens) - 1 - (tokens[-1] == eos_id), 1) ** length_penalty",
        says="You leave eos out of the length. It was generated and adds to the sum, so it counts: the "
        "length is that of all tokens after bos.",
    ),
    Mistake(
        "not-sorted-after-the-penalty",
        find="    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)",
        replace="    return scored",
        says="You return the hypotheses in the order of their sums. Best first goes by the scores: sort "
        "again after dividing by the length.",
    ),
    Mistake(
        "penalty-multiplied",
        find="total / (len(tokens) - 1) ** length_penalty",
        replace="total * (len(tokens) - 1) ** length_penalty",
        says="You multiply by length**length_penalty. The sums are negative, so that makes long hypotheses "
        "worse still; divide, to make up for their length.",
    ),
    Mistake(
        "impossible-tokens-kept",
        find="            if total > -torch.inf:",
        replace="            if True:",
        says="You keep extensions of probability 0 when there are not enough others, and hypotheses with the "
        "score -inf are returned. Drop them: the beam may hold fewer than beam_width.",
    ),
    Mistake(
        "beam-wider-than-the-choice",
        find="topk(min(beam_width, totals.numel()))",
        replace="topk(beam_width)",
        says="topk fails when beam_width is larger than the number of values to choose from, as in the first "
        "step with a small vocabulary. Keep all when there are fewer: min(beam_width, n), where n is the "
        "number of all extensions, or of tokens if you choose in each row.",
    ),
    Mistake(
        "sum-forgotten",
        find="        totals = totals.unsqueeze(1) + next_log_probs",
        replace="        totals = next_log_probs",
        says="You compare the extensions by the log-probability of their last token alone. It is the sum "
        "over all tokens that counts: add what the hypothesis had before.",
    ),
    Mistake(
        "sums-added-along-the-vocabulary",
        find="totals.unsqueeze(1) + next_log_probs",
        replace="totals.repeat(next_log_probs.shape[1])[: next_log_probs.shape[1]] + next_log_probs",
        says="You add the beams' sums along the vocabulary, so token i gets the sum of beam i. They belong "
        "to the rows: unsqueeze(1) makes them (beams, 1).",
    ),
    Mistake(
        "wrong-parent",
        find="            parent, token = divmod(place, totals.shape[1])",
        replace="            token, parent = place % totals.shape[1], place % len(unfinished)",
        says="You append tokens to the wrong hypotheses. A place in the flattened (beams, vocab) is "
        "beam * vocab + token: the parent is place // vocab, the token place % vocab.",
    ),
    PARENT_BY_THE_BEAM_WIDTH,
    replace(
        PARENT_BY_THE_BEAM_WIDTH,
        id="parent-by-the-beam-width-kept-in-range",
        replace="            parent, token = place // beam_width % len(unfinished), place % beam_width",
    ),
    Mistake(
        "finished-ones-asked-about",
        find="log_probs(torch.tensor([tokens for tokens, _ in unfinished]))",
        replace="""\
log_probs(
            torch.tensor(
                [tokens + [eos_id] * (max(len(t) for t, _ in beam) - len(tokens)) for tokens, _ in beam]
            )
        )[[tokens[-1] != eos_id for tokens, _ in beam]]""",
        says="Your values are right, but you ask log_probs about finished hypotheses too, padded perhaps, "
        "and throw its answers away. A model's time is what a search costs: ask about the unfinished only.",
    ),
    Mistake(
        "starts-with-copies",
        find="    beam = [([bos_id], 0.0)]",
        replace="    beam = [([bos_id], 0.0)] * beam_width",
        says="You start with beam_width copies of [bos_id], so the best extension is there beam_width times, "
        "and the beams stay alike. Start with a single hypothesis (or give the copies the sum -inf).",
    ),
    Mistake(
        "unfinished-ones-dropped-at-the-end",
        find="for tokens, total in beam]\n    return",
        replace="for tokens, total in beam if tokens[-1] == eos_id]\n    return",
        says="Where some hypotheses are finished at the end, you return these only. Those that are "
        "unfinished at max_len are returned too, as they are.",
    ),
    Mistake(
        "eos-cut-off",
        find="    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)",
        replace="    scored.sort(key=lambda hypothesis: hypothesis[1], reverse=True)\n"
        "    return [([token for token in tokens if token != eos_id], score) for tokens, score in scored]",
        says="You cut eos off the returned tokens. It belongs to the hypothesis: without it nobody can tell "
        "a finished one from one that ran into max_len.",
    ),
    Mistake(
        "worst-first",
        find="    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)",
        replace="    return sorted(scored, key=lambda hypothesis: hypothesis[1])",
        says="You return the worst hypothesis first. Scores are negative, and the best is the largest: sort "
        "with reverse=True.",
    ),
    Mistake(
        "finished-ones-give-up-their-slot",
        find="        if not unfinished:\n            break\n",
        replace="""\
        if not unfinished:
            break
        set_aside = set_aside + finished
        beam_width -= len(finished)
        finished = []
""",
        also=(
            (
                "    for _ in range(max_len - 1):",
                "    width, set_aside = beam_width, []\n    for _ in range(max_len - 1):",
            ),
            (
                "for tokens, total in beam]\n    return sorted",
                "for tokens, total in set_aside + beam]\n    return sorted",
            ),
        ),
        says="A finished hypothesis takes its slot out of your beam for good: it is set aside, and the "
        "search goes on with one hypothesis less. It competes with the others in every step, and where "
        "better ones come it is pushed out, and its slot is theirs.",
    ),
]
