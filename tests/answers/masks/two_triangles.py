"""Everything from tril_ and triu_ on one's own tables, bands as exclusive or of two triangles."""

import torch


def _ones(rows, columns, device=None):
    return torch.ones((rows, columns), dtype=torch.bool, device=device)


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id).unsqueeze(1).unsqueeze(1)


def causal_mask(q_len, kv_len=None):
    kv_len = q_len if kv_len is None else kv_len
    return _ones(q_len, kv_len).tril_(diagonal=kv_len - q_len)


def combined_mask(token_ids, pad_id=0):
    n = token_ids.shape[1]
    visible = token_ids.ne(pad_id)[:, None, None, :]
    return visible.repeat(1, 1, n, 1).tril()


def sliding_window_mask(seq_len, window):
    table = _ones(seq_len, seq_len).tril()
    return table.logical_xor_(_ones(seq_len, seq_len).tril(-min(window, seq_len)))


def local_mask(seq_len, radius):
    radius = min(radius, seq_len)
    return _ones(seq_len, seq_len).tril_(radius).triu_(-radius)


def chunked_mask(seq_len, chunk_size):
    chunk_size = min(chunk_size, seq_len)
    table = torch.zeros(seq_len, seq_len, dtype=torch.bool)
    for start in range(0, seq_len, chunk_size):
        table[start : start + chunk_size, start : start + chunk_size] = True
    return table.tril()


def packed_mask(sequence_ids):
    same = sequence_ids.unsqueeze(-1) == sequence_ids.unsqueeze(-2)
    return same.tril_().unsqueeze(1)


def sparse_mask(seq_len, stride):
    table = local_mask(seq_len, stride)
    table[::stride] = True
    table[:, ::stride] = True
    return table


def to_additive(mask, dtype):
    out = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    return out.masked_fill_(~mask, torch.finfo(dtype).min)
