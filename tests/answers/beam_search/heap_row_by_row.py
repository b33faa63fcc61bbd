"""Plain Python: one row at a time, a heap of NamedTuples; prints and warns at import."""

import heapq
import math
import warnings
from typing import NamedTuple

import torch

warnings.warn("row by row", stacklevel=1)
print("beam search loaded")
torch.manual_seed(3)


class Hypothesis(NamedTuple):
    total: float
    tokens: tuple[int, ...]
    done: bool = False


def extensions(hypothesis, log_probs, eos_id):
    if hypothesis.done:
        yield hypothesis
        return
    row = log_probs(torch.tensor([hypothesis.tokens], dtype=torch.int32))[0]
    for token in range(len(row)):
        value = float(row[token])
        if value != -math.inf:
            yield Hypothesis(hypothesis.total + value, (*hypothesis.tokens, token), token == eos_id)


def beam_search(log_probs, bos_id, eos_id, beam_width, max_len, length_penalty=0.0):
    beam = [Hypothesis(0.0, (bos_id,))]
    while len(max((h.tokens for h in beam), key=len)) < max_len and not all(h.done for h in beam):
        pool = [new for old in beam for new in extensions(old, log_probs, eos_id)]
        beam = heapq.nlargest(beam_width, pool)
        print("best so far:", beam[0].tokens)
    ranked = [(h.total * (len(h.tokens) - 1) ** -length_penalty, h) for h in beam]
    return [(list(h.tokens), score) for score, h in sorted(ranked, reverse=True)]
