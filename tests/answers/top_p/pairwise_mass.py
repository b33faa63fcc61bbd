"""No sorting: a token stays if all more probable tokens together hold less than p; Gumbel-max sampling."""

import torch


def top_p_filter(logits, p):
    assert 0 < p <= 1, "p must be in (0, 1]"
    probs = logits.softmax(dim=-1)
    more_probable = logits.unsqueeze(-2) > logits.unsqueeze(-1)  # (..., token, other)
    mass = (more_probable * probs.unsqueeze(-2)).sum(dim=-1)
    keep = (mass < p) | (p == 1)
    return torch.where(keep, logits, float("-inf"))


def sample_top_p(logits, p, temperature=1.0, generator=None):
    assert temperature >= 0
    if temperature == 0:
        return torch.argmax(logits, dim=-1)
    kept = top_p_filter(logits / temperature, p)
    uniform = torch.rand(kept.shape, generator=generator, dtype=torch.float64, device=kept.device)
    uniform = uniform.clamp_min(torch.finfo(torch.float64).tiny)
    return (kept - torch.log(-torch.log(uniform))).argmax(dim=-1)
