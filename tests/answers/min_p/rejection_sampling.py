"""Relative weights exp(logit - max) instead of a softmax; rejection sampling: uniform token, kept with its
weight.
"""

import torch


def _weights(logits, min_p):
    gap = logits.detach().double()
    gap = gap - gap.max(dim=-1, keepdim=True).values
    weights = gap.exp()
    return weights, (gap == 0 if min_p == 1 else weights >= min_p)


def min_p_filter(logits, min_p):
    assert 0 <= min_p <= 1
    return logits.masked_fill(~_weights(logits, min_p)[1], float("-inf"))


def sample_min_p(logits, min_p, temperature=1.0, generator=None):
    assert 0 <= min_p <= 1
    assert temperature >= 0
    if temperature == 0:
        return logits.argmax(dim=-1)
    vocab = logits.shape[-1]
    weights, keep = _weights(logits.detach().double() / temperature, min_p)
    rows = (weights * keep).reshape(-1, vocab)
    out = rows.argmax(dim=-1)
    waiting = torch.arange(rows.shape[0], device=rows.device)
    for _ in range(64):
        if waiting.numel() == 0:
            break
        n = waiting.numel()
        token = torch.randint(vocab, (n,), device=rows.device, generator=generator)
        u = torch.rand(n, dtype=torch.float64, device=rows.device, generator=generator)
        taken = u < rows[waiting, token]
        out[waiting[taken]] = token[taken]
        waiting = waiting[~taken]
    if waiting.numel():  # sharp rows: finish them exactly
        out[waiting] = torch.multinomial(rows[waiting], 1, generator=generator).squeeze(1)
    return out.reshape(logits.shape[:-1])
