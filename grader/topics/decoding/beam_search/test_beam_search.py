"""Checks of `beam_search`: exhaustive search where the beam holds all, its definition elsewhere."""

import heapq
import itertools
import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from grader.kit import Mistake, assert_close, assert_equal, assert_true

INF = float("inf")
BOS, EOS = 1, 2


def workload(submission, rng):
    return submission.beam_search.measure(random_model(rng, 61, 11), BOS, EOS, 5, 11)


def random_model(rng, vocab, max_len, eos_bonus=0.0, allowed=None, dtype=torch.float64):
    """Log-probabilities that depend on every token so far and on its place; `allowed[last]` may follow."""
    table = rng.normal(max_len + 1, vocab, vocab, scale=0.8)
    table[0, :, EOS] += eos_bonus
    allowed = torch.ones(vocab, vocab, dtype=torch.bool) if allowed is None else allowed

    def log_probs(tokens):
        assert isinstance(tokens, Tensor), f"log_probs takes a tensor, a {type(tokens).__name__} came"
        assert tokens.dim() == 2, f"log_probs takes (beams, length), the shape {tuple(tokens.shape)} came"
        assert not tokens.is_floating_point(), f"log_probs takes integers, {tokens.dtype} came"
        tokens = tokens.long()
        if tokens.numel() and not 0 <= tokens.min() <= tokens.max() < vocab:
            strange = next(token for token in tokens.flatten().tolist() if not 0 <= token < vocab)
            message = f"log_probs is asked about token {strange}, where the vocabulary is 0 … {vocab - 1}"
            assert_true(False, message, seen=strange)
        logits = table[torch.arange(tokens.shape[1]), tokens].sum(1)
        return logits.masked_fill(~allowed[tokens[:, -1]], -INF).log_softmax(-1).to(dtype)

    return log_probs


def exhaustive(log_probs, vocab, max_len):
    """Every hypothesis that there is, with its sum."""
    sequences = [
        (BOS, *rest) for n in range(1, max_len) for rest in itertools.product(range(vocab), repeat=n)
    ]
    return {
        tokens: sum(float(log_probs(torch.tensor([tokens[:i]]))[0, tokens[i]]) for i in range(1, len(tokens)))
        for tokens in sequences
        if EOS not in tokens[:-1] and (tokens[-1] == EOS or len(tokens) == max_len)
    }


def simulated(log_probs, width, max_len, bos=BOS, eos=EOS):
    """What the definition keeps, with the sums: row by row, in dicts."""
    kept = {(bos,): 0.0}
    for _ in range(1, max_len):
        finished = {tokens: total for tokens, total in kept.items() if tokens[-1] == eos}
        extended = {
            (*tokens, token): total + value
            for tokens, total in kept.items()
            if tokens[-1] != eos
            for token, value in enumerate(log_probs(torch.tensor([tokens]))[0].tolist())
            if value > -INF
        }
        kept = dict(heapq.nlargest(width, (finished | extended).items(), key=lambda item: item[1]))
    return kept


def assert_hypotheses(came, sums, length_penalty=0.0):
    """These hypotheses, by their sums, come with their scores, best first."""
    expected = [(list(tokens), total / (len(tokens) - 1) ** length_penalty) for tokens, total in sums.items()]
    expected.sort(key=lambda hypothesis: -hypothesis[1])
    scores = torch.tensor([score for _, score in came], dtype=torch.float64)
    noun = "hypothesis" if len(came) == 1 else "hypotheses"
    count = f"{len(came)} {noun} came, {len(expected)} expected"
    assert_true(len(came) == len(expected), count, seen=scores)
    for place, ((tokens, score), (wanted, value)) in enumerate(zip(came, expected, strict=True)):
        assert_equal(tokens, wanted, what=f"hypothesis {place}: {tokens} came, {wanted} is expected")
        # Sums may be kept in float32.
        assert_close(score, value, tolerance=1e-5, what=f"score of hypothesis {place}")


@pytest.mark.parametrize("length_penalty", [0.0, 0.7, 2.0])
def test_a_wide_beam_finds_everything(submission, rng, length_penalty):
    """a beam that has room for every hypothesis returns them all, like exhaustive search"""
    log_probs = random_model(rng, 3, 4)
    came = submission.beam_search(log_probs, BOS, EOS, 15, 4, length_penalty)
    assert_hypotheses(came, exhaustive(log_probs, 3, 4), length_penalty)


@pytest.mark.parametrize("vocab, beam_width, max_len", [(7, 3, 6), (11, 2, 5), (5, 4, 6), (19, 5, 4)])
def test_keeps_the_best_of_each_step(submission, rng, vocab, beam_width, max_len):
    """each step keeps the beam_width best sums over all beams"""
    log_probs = random_model(rng, vocab, max_len)
    came = submission.beam_search(log_probs, BOS, EOS, beam_width, max_len)
    assert_hypotheses(came, simulated(log_probs, beam_width, max_len))


@pytest.mark.parametrize("eos_bonus", [1.0, 2.0, 4.0])
def test_finished_hypotheses_compete(submission, rng, eos_bonus):
    """finished hypotheses stay as they are and compete with unfinished ones by their sums"""
    log_probs = random_model(rng, 7, 6, eos_bonus)
    came = submission.beam_search(log_probs, BOS, EOS, 5, 6)
    assert_hypotheses(came, simulated(log_probs, 5, 6))


def test_finished_hypotheses_are_pushed_out(submission):
    """a finished hypothesis is pushed out by better ones that come later"""
    table = torch.tensor(  # [last, next], where 1 is bos and 2 is eos
        [
            [0.03, 0.02, 0.02, 0.90, 0.03],
            [0.25, 0.02, 0.20, 0.50, 0.03],
            [0.20, 0.20, 0.20, 0.20, 0.20],
            [0.42, 0.02, 0.05, 0.05, 0.46],
            [0.03, 0.02, 0.90, 0.02, 0.03],
        ],
        dtype=torch.float64,
    )
    # The first step keeps 3 (0.5), 0 (0.25) and eos (0.2); the second finds 0.23, 0.225 and 0.21.
    expected = {
        (1, 3, 4, 2): 0.5 * 0.46 * 0.9,
        (1, 3, 0, 3): 0.5 * 0.42 * 0.9,
        (1, 0, 3, 4): 0.25 * 0.9 * 0.46,
    }
    came = submission.beam_search(lambda tokens: table[tokens[:, -1].long()].log(), BOS, EOS, 3, 4)
    assert_hypotheses(came, {tokens: math.log(value) for tokens, value in expected.items()})


@pytest.mark.parametrize("length_penalty", [0.6, 1.0, 3.0])
def test_length_penalty(submission, rng, length_penalty):
    """the returned sums are divided by length**length_penalty and ordered again, nothing else changes"""
    log_probs = random_model(rng, 7, 6, eos_bonus=1.0)
    came = submission.beam_search(log_probs, BOS, EOS, 5, 6, length_penalty=length_penalty)
    assert_hypotheses(came, simulated(log_probs, 5, 6), length_penalty)


@pytest.mark.parametrize("eos_bonus", [-3.0, 1.0])
def test_a_single_beam_is_greedy(submission, rng, eos_bonus):
    """a beam of one follows the most probable token"""
    log_probs = random_model(rng, 11, 6, eos_bonus)
    came = submission.beam_search(log_probs, BOS, EOS, 1, 6)
    assert_hypotheses(came, simulated(log_probs, 1, 6))


@pytest.mark.parametrize("beam_width, max_len", [(3, 2), (7, 3), (13, 3), (100, 4)])
def test_short_and_wide(submission, rng, beam_width, max_len):
    """a single step, and beams wider than the vocabulary or than all there is, are right"""
    log_probs = random_model(rng, 5, max_len)
    came = submission.beam_search(log_probs, BOS, EOS, beam_width, max_len, 0.5)
    assert_hypotheses(came, simulated(log_probs, beam_width, max_len), 0.5)


def test_impossible_tokens(submission, rng):
    """tokens of probability 0 never come, also where the beam then holds fewer than beam_width"""
    allowed = torch.zeros(7, 7, dtype=torch.bool)
    allowed[:, EOS] = allowed[BOS, 3] = allowed[3, 5] = allowed[5, 3] = True
    log_probs = random_model(rng, 7, 6, allowed=allowed)
    came = submission.beam_search(log_probs, BOS, EOS, 11, 6)
    assert_hypotheses(came, simulated(log_probs, 11, 6))


def test_stops_when_all_are_finished(submission, rng):
    """ends with what is finished, however large max_len is"""
    allowed = torch.zeros(5, 5, dtype=torch.bool)
    allowed[BOS, 3] = allowed[BOS, 4] = allowed[3, 4] = allowed[2:, EOS] = allowed[0, EOS] = True
    log_probs = random_model(rng, 5, 50, allowed=allowed)
    came = submission.beam_search(log_probs, BOS, EOS, 4, 50, 1.0)
    assert_hypotheses(came, simulated(log_probs, 4, 5), 1.0)


def test_asks_about_unfinished_sequences(submission, rng):
    """log_probs is asked about unfinished sequences that begin with bos, and about no others"""
    log_probs, asked = random_model(rng, 5, 7, eos_bonus=2.0), []

    def spy(tokens):
        asked.extend(tokens.tolist())
        return log_probs(tokens)

    submission.beam_search(spy, BOS, EOS, 4, 7)
    strange = [tokens for tokens in asked if EOS in tokens or tokens[:1] != [BOS]]
    # How often, and what fills them up behind eos, differs from answer to answer.
    which = sorted({tuple(tokens[: [*tokens, EOS].index(EOS) + 1]) for tokens in strange})
    message = f"log_probs is asked about {strange[:1]}, where bos is 1 and eos 2"
    assert_true(not strange, message, seen=which)


@pytest.mark.parametrize("bos, eos", [(0, 4), (5, 0), (3, 6)])
def test_other_ids(submission, rng, bos, eos):
    """bos_id and eos_id may be any tokens, in float32 too"""
    log_probs = random_model(rng, 7, 5, dtype=torch.float32)
    came = submission.beam_search(log_probs, bos_id=bos, eos_id=eos, beam_width=4, max_len=5)
    assert_hypotheses(came, simulated(log_probs, 4, 5, bos, eos))


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
    says="You set finished hypotheses aside, and fill the beam with beam_width unfinished ones beside "
    "them. A finished hypothesis takes a place of the beam as long as it is among the beam_width best, "
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
        says="You return finished hypotheses only. Those that are unfinished at max_len are returned too, as "
        "they are.",
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
]
