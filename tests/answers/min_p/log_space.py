"""Without a softmax in the filter: logits against the largest plus log(min_p); Gumbel noise."""

import math

import torch


def min_p_filter(logits, min_p):
    assert 0.0 <= min_p <= 1.0
    if not min_p:
        return logits
    lowest = logits.max(-1, keepdim=True).values + math.log(min_p)
    return torch.where(logits >= lowest, logits, torch.tensor(-torch.inf, dtype=logits.dtype))


def sample_min_p(logits, min_p, temperature=1.0, generator=None):
    assert temperature >= 0 and 0 <= min_p <= 1
    if temperature == 0:
        return logits.argmax(-1)
    noise = torch.rand(logits.shape, generator=generator, dtype=torch.float64).clamp_min(1e-300)
    return (min_p_filter(logits / temperature, min_p) - (-noise.log()).log()).argmax(-1)
