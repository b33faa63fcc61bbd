"""Each block's own output and log-sum-exp, merged by logaddexp; keys and values travel in one tensor."""

import torch


def attend(query, key, value, hidden):
    scores = torch.einsum("bhqd,bhkd->bhqk", query * query.shape[-1] ** -0.5, key)
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    total = torch.logsumexp(scores, dim=-1, keepdim=True)
    return torch.einsum("bhqk,bhkd->bhqd", torch.exp(scores - total), value), total


def ring_attention(queries, keys, values, ring, is_causal=False):
    w = len(queries)
    length = queries[0].shape[2]
    places = torch.arange(length, device=queries[0].device)
    hidden = places.unsqueeze(0) > places.unsqueeze(1) if is_causal else None
    pairs = [torch.cat(pair, dim=-1) for pair in zip(keys, values, strict=True)]
    state = []
    for rank in range(w):
        key, value = pairs[rank].chunk(2, dim=-1)
        state.append(attend(queries[rank], key, value, hidden))
    for step in range(1, w):
        pairs = ring.shift(pairs)
        for rank in range(w):
            if is_causal and rank < step:
                continue
            output, total = attend(queries[rank], *pairs[rank].chunk(2, dim=-1), None)
            before, so_far = state[rank]
            both = torch.logaddexp(so_far, total)
            state[rank] = (before * (so_far - both).exp() + output * (total - both).exp(), both)
    return [output for output, _ in state]
