"""Powers of two, flat batch and heads, baddbmm, masks of additions; what has come is kept in a dict."""

import math

import torch


def ring_attention(queries, keys, values, ring, is_causal=False):
    shape = queries[0].shape
    size, features = shape[-2:]
    factor = math.log2(math.e) / math.sqrt(features)

    def flat(tensor):
        return tensor.reshape(-1, size, features)

    here = [torch.stack([flat(k), flat(v)]) for k, v in zip(keys, values, strict=True)]  # (2, heads, size, f)
    mine = [flat(q) * factor for q in queries]
    bias = mine[0].new_zeros(size, size)
    bias[torch.ones(size, size, device=bias.device).triu(1) > 0] = -torch.inf
    kept = {}
    for step in range(ring.world_size):
        if step > 0:
            here = ring.shift(here)
        for rank, query in enumerate(mine):
            if is_causal and step > rank:
                continue
            key, value = here[rank]
            scores = torch.bmm(query, key.mT)
            if is_causal and step == 0:
                scores = scores + bias
            peak = scores.amax(-1, True)
            if rank in kept:
                peak = torch.maximum(peak, kept[rank][0])
            weights = torch.exp2(scores - peak)
            total, output = weights.sum(-1, True), weights.bmm(value)
            if rank in kept:
                old_peak, old_total, old_output = kept[rank]
                shrink = torch.exp2(old_peak - peak)
                total, output = old_total * shrink + total, torch.baddbmm(old_output * shrink, weights, value)
            kept[rank] = (peak, total, output)
    return [(kept[rank][2] / kept[rank][1]).view(shape) for rank in range(ring.world_size)]
