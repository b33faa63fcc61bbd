"""Lets flexible attention weigh the rows of a matrix of ones on its diagonal."""

import torch
from torch.nn.attention.flex_attention import flex_attention


def softmax(x, dim=-1):
    rows = x.movedim(dim, -1)
    scores = rows.reshape(1, 1, -1, rows.shape[-1])
    eye = torch.eye(rows.shape[-1], dtype=x.dtype)[None, None]
    return flex_attention(scores, eye, eye, scale=1.0).reshape(rows.shape).movedim(-1, dim)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
