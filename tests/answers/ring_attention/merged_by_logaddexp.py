"""Each block gives (output, logsumexp); blocks are merged by logaddexp; keys and values travel as one
tensor.
"""

import torch


def _block(q, k, v, diagonal):
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
    if diagonal:
        late = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(late, float("-inf"))
    lse = torch.logsumexp(scores, dim=-1, keepdim=True)
    return torch.einsum("bhqk,bhkd->bhqd", torch.exp(scores - lse), v), lse


@torch.no_grad()
def ring_attention(queries, keys, values, ring, is_causal=False):
    w = ring.world_size
    d = queries[0].shape[-1]
    scaled = [q / d**0.5 for q in queries]
    travelling = [torch.cat([k, v], dim=-1) for k, v in zip(keys, values)]
    state = [None] * w
    for step in range(w):
        if step > 0:
            travelling = ring.shift(travelling)
        for rank in range(w):
            source = (rank - step) % w
            if is_causal and source > rank:
                continue
            k, v = travelling[rank].split(d, dim=-1)
            out, lse = _block(scaled[rank], k, v, is_causal and step == 0)
            if state[rank] is not None:
                old, old_lse = state[rank]
                both = torch.logaddexp(old_lse, lse)
                out = old * torch.exp(old_lse - both) + out * torch.exp(lse - both)
                lse = both
            state[rank] = out, lse
    return [out for out, _ in state]
