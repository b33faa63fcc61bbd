"""Element by element in Python; prints and warns."""

import warnings

import torch

warnings.warn("loops", stacklevel=1)


def table(rows, columns, keeps, device=None):
    print("a table of", rows, "by", columns)
    mask = torch.zeros(rows, columns, dtype=torch.bool, device=device)
    for i in range(rows):
        for j in range(columns):
            if keeps(i, j):
                mask[i, j] = True
    return mask


def padding_mask(token_ids, pad_id=0):
    batch, seq = token_ids.shape
    mask = torch.zeros(batch, 1, 1, seq, dtype=torch.bool, device=token_ids.device)
    for b in range(batch):
        for j in range(seq):
            mask[b, 0, 0, j] = token_ids[b, j] != pad_id
    return mask


def causal_mask(q_len, kv_len=None):
    if kv_len is None:
        kv_len = q_len
    return table(q_len, kv_len, lambda i, j: j - kv_len <= i - q_len)


def combined_mask(token_ids, pad_id=0):
    ids = token_ids.tolist()
    seq = token_ids.shape[1]
    rows = [
        table(seq, seq, lambda i, j, row=row: j <= i and row[j] != pad_id, token_ids.device) for row in ids
    ]
    return torch.stack(rows).unsqueeze(1)


def sliding_window_mask(seq_len, window):
    return table(seq_len, seq_len, lambda i, j: max(0, i - window + 1) <= j <= i)


def local_mask(seq_len, radius):
    return table(seq_len, seq_len, lambda i, j: -radius <= j - i <= radius)


def chunked_mask(seq_len, chunk_size):
    return table(seq_len, seq_len, lambda i, j: i - i % chunk_size <= j <= i)


def packed_mask(sequence_ids):
    seq = sequence_ids.shape[1]
    rows = [
        table(seq, seq, lambda i, j, row=row: j <= i and row[i] == row[j], sequence_ids.device)
        for row in sequence_ids.tolist()
    ]
    return torch.stack(rows)[:, None]


def sparse_mask(seq_len, stride):
    return table(seq_len, seq_len, lambda i, j: abs(i - j) <= stride or not (i % stride and j % stride))


def to_additive(mask, dtype):
    flat = [0.0 if keep else torch.finfo(dtype).min for keep in mask.flatten().tolist()]
    return torch.tensor(flat, dtype=dtype, device=mask.device).reshape(mask.shape)
