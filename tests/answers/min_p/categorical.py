"""A multiplied mask of infinities, sorted probabilities, a recursion for one row; int32 tokens."""

import torch
import torch.nn.functional as F


def check(min_p):
    if not (min_p >= 0 and min_p <= 1):
        raise AssertionError("min_p")


def min_p_filter(logits, min_p):
    check(min_p)
    if min_p == 0:
        return logits.clone()
    log_probs, order = F.log_softmax(logits, -1).sort(-1, descending=True)
    ratio = (log_probs - log_probs[..., :1]).exp()
    kept = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, ratio >= min_p)
    out = torch.full_like(logits, float("-inf"))
    out[kept] = logits[kept]
    return out


def sample_min_p(logits, min_p, temperature=1.0, generator=None):
    check(min_p)
    if temperature < 0:
        raise ValueError("temperature")
    if logits.dim() == 1:
        return sample_min_p(logits[None], min_p, temperature, generator)[0]
    if temperature == 0:
        return logits.argmax(-1).int()
    weights = min_p_filter(logits / temperature, min_p).softmax(-1).flatten(0, -2)
    return torch.multinomial(weights, 1, generator=generator).view(logits.shape[:-1]).int()
