"""Everything in float64 with an exponential race for draws, refusals found at once by a cumprod, no loop in
verify.
"""

import torch


def _race(probs, generator):
    noise = torch.empty(probs.shape, dtype=torch.float64, device=probs.device).exponential_(
        generator=generator
    )
    return (probs.double().log() - noise.log()).argmax(dim=-1, keepdim=True)


@torch.no_grad()
def verify(draft_tokens, draft_probs, target_probs, generator=None):
    n = draft_tokens.shape[0]
    q, p = draft_probs.double(), target_probs.double()
    column = draft_tokens.unsqueeze(1)
    qx, px = q.gather(1, column).squeeze(1), p[:n].gather(1, column).squeeze(1)
    u = torch.rand(n, dtype=torch.float64, device=p.device, generator=generator)
    kept = int(((px >= qx) | (u * qx < px)).long().cumprod(0).sum())
    last = p[kept]
    if kept < n:
        rest = (p[kept] - q[kept]).clamp_min(0)
        if rest.sum() > 0:
            last = rest
    return torch.cat((draft_tokens[:kept], _race(last, generator)))


@torch.no_grad()
def speculative_decode(target, draft, prompt, num_tokens, num_drafts, generator=None):
    if num_drafts < 1:
        raise ValueError("num_drafts must be at least 1")
    tokens = prompt.clone()
    goal = prompt.shape[0] + num_tokens
    while tokens.shape[0] < goal:
        start, rows, longer = tokens.shape[0], [], tokens
        for _ in range(num_drafts):
            rows.append(draft(longer)[-1])
            longer = torch.cat((longer, _race(rows[-1], generator)))
        checked = target(longer)[start - 1 :]
        tokens = torch.cat((tokens, verify(longer[start:], torch.stack(rows), checked, generator)))
    return tokens[prompt.shape[0] : goal].clone()
