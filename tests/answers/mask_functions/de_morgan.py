"""or_masks by and_masks and negation; a stack of answers; rows of the table one by one."""

import torch


def causal(batch, head, q, kv):
    return ~(kv > q)


def sliding_window(window):
    def recent(batch, head, q, kv):
        return and_masks(causal, lambda b, h, q, kv: kv + window > q)(batch, head, q, kv)

    return recent


def chunked(chunk_size):
    return lambda batch, head, q, kv: (q // chunk_size).eq(kv // chunk_size)


def padding(keep):
    def real(batch, head, q, kv):
        return keep[batch, kv]

    return real


def packed(sequence_ids):
    def same(batch, head, q, kv):
        asking, answering = (sequence_ids[batch, at] for at in (q, kv))
        return asking == answering

    return same


def and_masks(*fns):
    def all_of(batch, head, q, kv):
        everything = torch.zeros_like(q + kv) == 0
        answers = [everything, *(fn(batch, head, q, kv) for fn in fns)]
        return torch.stack(torch.broadcast_tensors(*answers)).all(dim=0)

    return all_of


def or_masks(*fns):
    def none(fn):
        return lambda *at: ~fn(*at)

    return none(and_masks(*(none(fn) for fn in fns)))


def offset(fn, q_offset, kv_offset):
    def moved(batch, head, q, kv):
        return fn(batch, head, q + q_offset, kv + kv_offset)

    return moved


def materialize(fn, batch, heads, q_len, kv_len):
    rows = []
    b, h, kv = torch.arange(batch)[:, None, None], torch.arange(heads)[:, None], torch.arange(kv_len)
    for q in range(q_len):
        kept = fn(b, h, torch.full((1, 1, 1), q), kv)
        rows.append(kept.expand(batch, heads, kv_len))
    return torch.stack(rows, dim=2)


def render(mask):
    text = ""
    for i in range(mask.shape[0]):
        text += "\n" if i else ""
        for j in range(mask.shape[1]):
            text += " " if j else ""
            text += "■" if mask[i, j].item() else "⬚"
    return text
