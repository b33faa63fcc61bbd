"""Beam search: follow the beam_width most probable partial sequences at once, instead of greedily one.

Dividing by a power of the length makes up for every further token lowering the sum; "Google's Neural Machine
Translation System" (Wu et al., 2016) does so with another function of the length. Nothing is forbidden.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor


def beam_search(
    log_probs: Callable[[Int[Tensor, "beams length"]], Float[Tensor, "beams vocab"]],
    bos_id: int,
    eos_id: int,
    beam_width: int,
    max_len: int,
    length_penalty: float = 0.0,
) -> list[tuple[list[int], float]]:
    """The best hypotheses that a beam finds, as (tokens, score), best first; at most beam_width of them.

    log_probs: gives the log-probabilities of the next token for unfinished sequences of equal length, one row
    each. Never ask it about a sequence that contains eos_id. How many rows you ask about at once is free.
    Nothing is kept between calls.

    A hypothesis starts as [bos_id]. It is finished once its last token is eos_id, and never changes again. It
    has at most max_len tokens, bos and eos included (max_len is at least 2). Any token of the vocabulary may
    follow, bos_id too; one of probability 0 (-inf) never does. Some token always can.

    Each step takes together all finished hypotheses kept so far and all extensions of the unfinished ones by
    one token, and keeps the beam_width best of them by the *sum* of their log-probabilities (all, if there
    are fewer). Finished ones thus compete with unfinished ones, and may be pushed out. The search stops as
    soon as all kept hypotheses are finished, or at max_len; unfinished ones are then returned as they are.

    score = sum / length**length_penalty, where length counts the tokens after bos, eos included. The penalty
    acts on the returned scores and their order only, not on what is kept. length_penalty is at least 0.

    tokens is a list of int that begins with bos_id, score a float. bos_id and eos_id differ; beam_width is at
    least 1 and may exceed the vocabulary. log_probs gives float32 or float64, and sums may be kept in
    float32; there are no ties.
    """
    beam = [([bos_id], 0.0)]  # (tokens, sum of log-probabilities), best first
    for _ in range(max_len - 1):
        finished = [(tokens, total) for tokens, total in beam if tokens[-1] == eos_id]
        unfinished = [(tokens, total) for tokens, total in beam if tokens[-1] != eos_id]
        if not unfinished:
            break
        next_log_probs = log_probs(torch.tensor([tokens for tokens, _ in unfinished]))  # (beams, vocab)
        totals = torch.tensor([total for _, total in unfinished], dtype=next_log_probs.dtype)
        totals = totals.unsqueeze(1) + next_log_probs
        # Over all beams at once: one beam may have several of the best extensions, another none.
        best = totals.flatten().topk(min(beam_width, totals.numel()))
        candidates = finished
        for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            parent, token = divmod(place, totals.shape[1])
            if total > -torch.inf:
                candidates.append((unfinished[parent][0] + [token], total))
        candidates.sort(key=lambda hypothesis: hypothesis[1], reverse=True)
        beam = candidates[:beam_width]
    scored = [(tokens, total / (len(tokens) - 1) ** length_penalty) for tokens, total in beam]
    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)
