"""One helper that broadcasts a condition on indices; the additive form by filling a new tensor in place."""

import torch


def where(condition, q_len, kv_len=None, device=None):
    kv_len = q_len if kv_len is None else kv_len
    queries, keys = torch.meshgrid(
        torch.arange(q_len, device=device), torch.arange(kv_len, device=device), indexing="ij"
    )
    return condition(queries, keys)


def padding_mask(token_ids, pad_id=0):
    return torch.logical_not(token_ids == pad_id).reshape(len(token_ids), 1, 1, -1)


def causal_mask(q_len, kv_len=None):
    shift = 0 if kv_len is None else kv_len - q_len
    return where(lambda i, j: j <= i + shift, q_len, kv_len)


def combined_mask(token_ids, pad_id=0):
    causal = where(lambda i, j: j <= i, token_ids.shape[1], device=token_ids.device)
    return padding_mask(token_ids, pad_id).logical_and(causal[None, None])


def sliding_window_mask(seq_len, window):
    return where(lambda i, j: (i >= j) & (i < j + window), seq_len)


def local_mask(seq_len, radius):
    return where(lambda i, j: (i - j) ** 2 <= radius**2, seq_len)


def chunked_mask(seq_len, chunk_size):
    def keep(i, j):
        return torch.div(i, chunk_size, rounding_mode="floor").eq(j // chunk_size) & (j <= i)

    return where(keep, seq_len)


def packed_mask(sequence_ids):
    seq = sequence_ids.size(-1)
    same = torch.stack([row[:, None] == row[None, :] for row in sequence_ids])
    return (same & where(lambda i, j: j <= i, seq, device=sequence_ids.device)).view(-1, 1, seq, seq)


def sparse_mask(seq_len, stride):
    return where(lambda i, j: ((i - j).abs() <= stride) | ((i % stride) * (j % stride) == 0), seq_len)


def to_additive(mask, dtype):
    numbers = torch.empty_like(mask, dtype=dtype)
    numbers[mask] = 0
    numbers[~mask] = torch.finfo(dtype).min
    return numbers
