"""Draws from all tokens and draws again what fell outside the nucleus; the removed mask is shifted by one."""

import torch
import torch.nn.functional as F


def top_p_filter(logits, p):
    if p <= 0 or p > 1:
        raise ValueError("p must be in (0, 1]")
    if p == 1:
        return logits
    values, indices = torch.sort(logits, descending=True, dim=-1)
    removed = F.softmax(values, dim=-1).cumsum(dim=-1) > p
    removed[..., 1:] = removed[..., :-1].clone()
    removed[..., 0] = False
    out = logits.clone()
    out[torch.zeros_like(removed).scatter_(-1, indices, removed)] = float("-inf")
    return out


def sample_top_p(logits, p, temperature=1.0, generator=None):
    assert temperature >= 0
    if temperature == 0:
        return logits.argmax(-1)
    rows = logits.reshape(-1, logits.shape[-1]) / temperature
    inside = top_p_filter(rows, p).isfinite()
    probs = rows.softmax(-1)
    tokens = torch.multinomial(probs, 1, generator=generator)
    while not (good := inside.gather(1, tokens).squeeze(1)).all():
        tokens[~good] = torch.multinomial(probs[~good], 1, generator=generator)
    return tokens.reshape(logits.shape[:-1])
