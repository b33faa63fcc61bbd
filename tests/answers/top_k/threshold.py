"""Everything below the k-th largest logit goes; Gumbel-max sampling, the temperature after the filter."""

import torch


def top_k_filter(logits, k):
    assert k >= 1, "k must be positive"
    if k >= logits.size(-1):
        return logits
    kth = logits.kthvalue(logits.size(-1) - k + 1, dim=-1, keepdim=True).values
    return torch.where(logits < kth, float("-inf"), logits)


def sample_top_k(logits, k, temperature=1.0, generator=None):
    assert temperature >= 0
    if temperature == 0:
        return logits.argmax(-1)
    kept = top_k_filter(logits, k) / temperature
    uniform = torch.rand(kept.shape, generator=generator, dtype=torch.float64)
    uniform = uniform.clamp_min(torch.finfo(torch.float64).tiny)
    return (kept - torch.log(-torch.log(uniform))).argmax(dim=-1)
