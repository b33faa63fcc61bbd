"""The nucleus as a threshold: the logit of the last kept token; inverse transform by searchsorted."""

import torch


def top_p_filter(logits, p):
    if not 0.0 < p <= 1.0:
        raise ValueError("p must lie in (0, 1]")
    values = logits.topk(logits.size(-1), dim=-1).values
    reached = (values - values.logsumexp(-1, keepdim=True)).exp().cumsum(-1)
    last = (reached < p).sum(-1, keepdim=True).clamp(max=logits.size(-1) - 1)
    if p == 1:
        last = torch.full_like(last, logits.size(-1) - 1)
    return logits.masked_fill(logits < values.gather(-1, last), float("-inf"))


def sample_top_p(logits, p, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError("temperature must be at least 0")
    greedy = logits.argmax(-1)
    if temperature == 0:
        return greedy
    cumulative = top_p_filter(logits / temperature, p).double().softmax(-1).cumsum(-1)
    draw = torch.rand((*logits.shape[:-1], 1), generator=generator, dtype=torch.float64, device=logits.device)
    # right=True: a token of probability 0 repeats its neighbour's sum and is never found
    found = torch.searchsorted(cumulative, draw * cumulative[..., -1:], right=True).squeeze(-1)
    return torch.where(found < logits.size(-1), found, greedy)
