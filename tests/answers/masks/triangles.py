"""Triangles of ones; views that expand; torch.where for the additive form."""

import torch


def ones(rows, columns=None, device=None):
    return torch.ones(rows, rows if columns is None else columns, dtype=torch.bool, device=device)


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id).unsqueeze(1).unsqueeze(2)


def causal_mask(q_len, kv_len=None):
    kv_len = kv_len if kv_len is not None else q_len
    return ~torch.triu(ones(q_len, kv_len), diagonal=kv_len - q_len + 1)


def combined_mask(token_ids, pad_id=0):
    seq = token_ids.size(1)
    keep = padding_mask(token_ids, pad_id).expand(-1, 1, seq, seq)
    return torch.logical_and(keep, ones(seq, device=token_ids.device).tril())


def sliding_window_mask(seq_len, window):
    return ones(seq_len).tril().triu(1 - window)


def local_mask(seq_len, radius):
    return ones(seq_len).tril(radius).triu(-radius)


def chunked_mask(seq_len, chunk_size):
    blocks = [ones(min(chunk_size, seq_len - start)).tril() for start in range(0, seq_len, chunk_size)]
    return torch.block_diag(*blocks).bool()


def packed_mask(sequence_ids):
    same = sequence_ids.unsqueeze(2).eq(sequence_ids.unsqueeze(1))
    return same.tril().unsqueeze(1)


def sparse_mask(seq_len, stride):
    mask = local_mask(seq_len, stride)
    mask[::stride] = True
    mask[:, ::stride] = True
    return mask


def to_additive(mask, dtype):
    zero = torch.zeros((), dtype=dtype, device=mask.device)
    return torch.where(mask, zero, torch.full_like(zero, torch.finfo(dtype).min))
