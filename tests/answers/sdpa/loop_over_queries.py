"""One query at a time over flattened leading dimensions; the allowed keys are gathered, nothing is filled."""

import math

from torch import nonzero, stack


def attend(one_query, keys, values, allowed, factor):
    if allowed is not None:
        (index,) = nonzero(allowed, as_tuple=True)
        keys, values = keys[index], values[index]
    weights = (keys @ one_query * factor).softmax(0)
    return weights @ values


def scaled_dot_product_attention(query, key, value, mask=None, is_causal=False, scale=None):
    *leading, q_len, head_dim = query.shape
    kv_len, value_dim = value.shape[-2:]
    factor = scale if scale is not None else 1.0 / math.sqrt(head_dim)
    if mask is not None:
        mask = mask.expand(*leading, q_len, kv_len).reshape(-1, q_len, kv_len)
    queries = query.reshape(-1, q_len, head_dim)
    keys = key.reshape(-1, kv_len, head_dim)
    values = value.reshape(-1, kv_len, value_dim)
    rows = []
    for b in range(queries.shape[0]):
        for i in range(q_len):
            end = i + 1 if is_causal else kv_len
            allowed = None if mask is None else mask[b, i, :end]
            rows.append(attend(queries[b, i], keys[b, :end], values[b, :end], allowed, factor))
    return stack(rows).reshape(*leading, q_len, value_dim)
