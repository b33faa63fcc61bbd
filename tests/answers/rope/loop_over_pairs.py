"""Tables from plain Python floats, a loop over the pairs; prints, warns and seeds at import."""

import math
import warnings

import torch

torch.manual_seed(3)
warnings.warn("tables are made in Python", stacklevel=1)
print("rope, pair by pair")


def rope_cos_sin(positions, head_dim, base=10000.0):
    tables = []
    for function in (math.cos, math.sin):
        table = []
        for m in positions.tolist():
            row = [function(m / base ** (2 * i / head_dim)) for i in range(head_dim // 2)]
            table.append(row + row)
        tables.append(torch.tensor(table, dtype=torch.float32, device=positions.device))
    return tables[0], tables[1]


def rotate_half(x):
    half = x.size(-1) // 2
    columns = [-x[..., half + i] for i in range(half)] + [x[..., i] for i in range(half)]
    return torch.stack(columns, dim=-1)


def turn(x, cos, sin, pair_of):
    columns = list(x.unbind(-1))
    for i in range(len(columns) // 2):
        a, b = pair_of(i)
        first, second = x[..., a], x[..., b]
        columns[a] = first * cos[:, i] - second * sin[:, i]
        columns[b] = second * cos[:, i] + first * sin[:, i]
    return torch.stack(columns, dim=-1)


def apply_rope(query, key, cos, sin):
    half = cos.shape[1] // 2
    print("turning", query.shape[1], "and", key.shape[1], "heads")
    return turn(query, cos, sin, lambda i: (i, i + half)), turn(key, cos, sin, lambda i: (i, i + half))


def apply_rope_interleaved(x, cos, sin):
    return turn(x, cos, sin, lambda i: (2 * i, 2 * i + 1))
