"""A recursion over the leading dimensions, one draw a row; int32 tokens."""

import torch


def top_p_filter(logits, p):
    assert 0 < p <= 1
    if logits.dim() > 1:
        return torch.stack([top_p_filter(row, p) for row in logits])
    probs, order = logits.softmax(-1).sort(descending=True)
    needed = len(order) if p == 1 else int((probs.cumsum(-1) < p).sum()) + 1
    out = torch.full_like(logits, -torch.inf)
    out[order[:needed]] = logits[order[:needed]]
    return out


def sample_top_p(logits, p, temperature=1.0, generator=None):
    assert temperature >= 0
    if logits.dim() > 1:
        return torch.stack([sample_top_p(row, p, temperature, generator) for row in logits])
    if not temperature:
        return logits.max(-1).indices.int()
    probs = top_p_filter(logits / temperature, p).softmax(-1)
    return torch.multinomial(probs, 1, generator=generator)[0].int()
