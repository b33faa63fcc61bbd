"""Ascending order: what may go is the tail that holds at most 1 - p; exponential race on the sorted row."""

import torch
import torch.nn.functional as F


def top_p_filter(logits, p):
    if not (p > 0.0 and p <= 1.0):
        raise AssertionError("p")
    if p == 1.0:
        return logits + 0.0
    ascending, index = torch.sort(logits, dim=-1)
    tail = F.softmax(ascending.double(), dim=-1).cumsum(-1)
    drop = tail <= 1 - p
    drop[..., -1] = False
    out = torch.empty_like(logits)
    out.scatter_(-1, index, ascending.masked_fill(drop, -torch.inf))
    return out


def sample_top_p(logits, p, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError("temperature")
    if temperature == 0:
        return logits.max(dim=-1).indices
    ascending, index = top_p_filter(logits.div(temperature), p).sort(dim=-1)
    race = torch.empty_like(ascending).exponential_(generator=generator)
    winner = (F.softmax(ascending, dim=-1) / race).argmax(dim=-1, keepdim=True)
    return index.gather(-1, winner).squeeze(-1)
