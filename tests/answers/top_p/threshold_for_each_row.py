"""Smallest kept logit as a threshold per row (searchsorted in the cumsum), then one comparison; inverse CDF
in vocabulary order.
"""

import torch


def _threshold(logits, p):
    ordered = logits.detach().double().sort(dim=-1, descending=True).values
    mass = ordered.softmax(-1).cumsum(-1)
    goal = torch.full_like(mass[..., :1], p)
    place = torch.searchsorted(mass.contiguous(), goal).clamp_(max=logits.shape[-1] - 1)
    return ordered.gather(-1, place)


def top_p_filter(logits, p):
    assert 0 < p <= 1
    if p == 1:
        return logits.clone()
    hidden = logits.detach().double() < _threshold(logits, p)
    return logits.masked_fill(hidden, -float("inf"))


@torch.no_grad()
def sample_top_p(logits, p, temperature=1.0, generator=None):
    assert temperature >= 0
    if temperature == 0:
        return logits.max(dim=-1).indices
    probs = top_p_filter(logits.double() / temperature, p=p).softmax(dim=-1)
    edges = probs.cumsum(dim=-1)
    u = torch.rand(edges.shape[:-1] + (1,), dtype=edges.dtype, device=edges.device, generator=generator)
    place = torch.searchsorted(edges, u * edges[..., -1:], right=True)
    # rounding to the very end gives the most probable token instead of one that was dropped
    place = torch.where(place < edges.shape[-1], place, probs.argmax(dim=-1, keepdim=True))
    return place.squeeze(-1)
