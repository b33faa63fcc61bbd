"""Buckets of (token, choice) by expert, counts instead of ids, and loops."""

import torch


def expert_parallel(xs, expert_ids, weights, experts, collectives):
    w = len(experts)
    each = len(experts[0])
    places = []
    for ids in expert_ids:
        buckets = [[] for _ in range(w * each)]
        for token, chosen in enumerate(ids.tolist()):
            for place, expert in enumerate(chosen):
                buckets[expert].append((token, place))
        places.append(buckets)

    def sent(x, buckets, rank):
        tokens = [t for bucket in buckets[rank * each : (rank + 1) * each] for t, _ in bucket]
        return torch.stack([x[t] for t in tokens]) if tokens else x[:0]

    def counted(x, buckets, rank):
        return torch.tensor([len(b) for b in buckets[rank * each : (rank + 1) * each]], device=x.device)

    counts = collectives.all_to_all(
        [[counted(x, b, q) for q in range(w)] for x, b in zip(xs, places, strict=True)]
    )
    rows = collectives.all_to_all(
        [[sent(x, b, q) for q in range(w)] for x, b in zip(xs, places, strict=True)]
    )
    back = []
    for rank in range(w):
        pieces = [list(r.split(c.tolist())) for r, c in zip(rows[rank], counts[rank], strict=True)]
        for number, expert in enumerate(experts[rank]):
            own = torch.cat([piece[number] for piece in pieces], dim=0)
            if len(own):
                results = expert(own).split([len(piece[number]) for piece in pieces])
                for piece, result in zip(pieces, results, strict=True):
                    piece[number] = result
        back.append([torch.cat(piece) for piece in pieces])
    back = collectives.all_to_all(back)
    outputs = []
    for x, weight, buckets, parts in zip(xs, weights, places, back, strict=True):
        output = torch.zeros_like(x)
        row = iter(part for piece in parts for part in piece)
        for bucket in buckets:
            for token, place in bucket:
                output[token] += weight[token, place] * next(row)
        outputs.append(output)
    return outputs
