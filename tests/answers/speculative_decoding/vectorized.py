"""All ratios at once, cumulative products of what is kept; Gumbel noise; no more drafts than are missing."""

import torch


def draw(weights, generator):
    noise = torch.empty_like(weights).exponential_(generator=generator)
    return (weights / noise).argmax(-1)


def verify(draft_tokens, draft_probs, target_probs, generator=None):
    n = draft_tokens.shape[0]
    at = torch.arange(n, device=draft_tokens.device)
    p, q = target_probs[at, draft_tokens], draft_probs[at, draft_tokens]
    u = torch.rand(n, generator=generator, dtype=p.dtype, device=p.device)
    kept = int((u * q < p).long().cumprod(0).sum())
    if kept == n:
        row = target_probs[n]
    else:
        row = torch.relu(target_probs[kept] - draft_probs[kept])
        row = row / row.sum()
    return torch.cat((draft_tokens[:kept], draw(row, generator).reshape(1)))


@torch.no_grad()
def speculative_decode(target, draft, prompt, num_tokens, num_drafts, generator=None):
    assert num_drafts >= 1
    start, sequence = prompt.numel(), prompt.clone()
    while (missing := num_tokens - (sequence.numel() - start)) > 0:
        known = sequence.numel()
        q = []
        for _ in range(max(1, min(num_drafts, missing - 1))):
            q.append(draft(sequence)[-1])
            sequence = torch.cat((sequence, draw(q[-1], generator)[None]))
        p = target(sequence)[known - 1 :]
        sequence = torch.cat((sequence[:known], verify(sequence[known:], torch.stack(q), p, generator)))
    return sequence[start : start + num_tokens]
