"""Callable objects with operators; a table by loops over single indices; prints."""

import torch


class Rule:
    def __init__(self, ask):
        self.ask = ask

    def __call__(self, batch, head, q, kv):
        return self.ask(batch, head, q, kv)

    def __and__(self, other):
        return Rule(lambda *at: self(*at).logical_and(other(*at)))

    def __or__(self, other):
        return Rule(lambda *at: self(*at).logical_or(other(*at)))


def causal(batch, head, q, kv):
    return kv.le(q)


def sliding_window(window):
    return Rule(lambda b, h, q, kv: (kv <= q) & (kv > q - window))


def chunked(chunk_size):
    return Rule(lambda b, h, q, kv: (q - q % chunk_size) == (kv - kv % chunk_size))


def padding(keep):
    return Rule(lambda b, h, q, kv: keep.flatten()[b * keep.shape[1] + kv])


def packed(sequence_ids):
    return Rule(lambda b, h, q, kv: (sequence_ids[b, q] - sequence_ids[b, kv]) == 0)


def and_masks(*fns):
    rule = Rule(lambda b, h, q, kv: q == q)
    for fn in fns:
        rule = rule & Rule(fn)
    return rule


def or_masks(*fns):
    rule = Rule(lambda b, h, q, kv: q != q)
    for fn in fns:
        rule = rule | Rule(fn)
    return rule


def offset(fn, q_offset, kv_offset):
    print("moved by", q_offset, kv_offset)
    return Rule(lambda b, h, q, kv: fn(b, h, q.add(q_offset), kv.add(kv_offset)))


def materialize(fn, batch, heads, q_len, kv_len):
    table = torch.zeros(batch, heads, q_len, kv_len, dtype=torch.bool)
    for b in range(batch):
        for h in range(heads):
            for q in range(q_len):
                for kv in range(kv_len):
                    table[b, h, q, kv] = fn(*map(torch.tensor, (b, h, q, kv)))
    return table


def render(mask):
    lines = []
    for row in mask:
        lines.append(" ".join(["⬚", "■"][int(kept)] for kept in row))
    return "\n".join(lines)
