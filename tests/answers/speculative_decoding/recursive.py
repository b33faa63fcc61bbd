"""verify handles one place and calls itself for the rest; decoding writes into one buffer."""

import torch


def verify(draft_tokens, draft_probs, target_probs, generator=None):
    if len(draft_tokens) == 0:
        return torch.multinomial(target_probs[0], 1, generator=generator)
    first, q, p = draft_tokens[:1], draft_probs[0], target_probs[0]
    threshold = torch.minimum(p[first] / q[first], torch.ones_like(p[first]))
    if torch.bernoulli(threshold, generator=generator):
        rest = verify(draft_tokens[1:], draft_probs[1:], target_probs[1:], generator)
        return torch.cat((first, rest))
    # What p has more than q: p without what both have.
    return torch.multinomial(p - torch.minimum(p, q), 1, generator=generator)


def speculative_decode(target, draft, prompt, num_tokens, num_drafts, generator=None):
    if num_drafts < 1:
        raise ValueError("num_drafts")
    start = end = prompt.shape[0]
    buffer = prompt.new_zeros(start + num_tokens + num_drafts + 1)
    buffer[:start] = prompt
    while end < start + num_tokens:
        q = []
        for i in range(num_drafts):
            q.append(draft(buffer[: end + i].clone())[end + i - 1])
            buffer[end + i] = torch.multinomial(q[-1], 1, generator=generator).item()
        p = target(buffer[: end + num_drafts].clone())
        new = verify(buffer[end : end + num_drafts].clone(), torch.stack(q), p[end - 1 :], generator)
        buffer[end : end + new.shape[0]] = new
        end += new.shape[0]
    return buffer[start : start + num_tokens].clone()
