"""Takes attention in Python from where it has been imported by another part of torch."""

import sys

import torch
import torch.nn.attention.flex_attention

_module = sys.modules["torch.nn.attention.flex_attention"]


def softmax(x, dim=-1):
    rows = x.movedim(dim, -1)
    scores = rows.reshape(1, 1, -1, rows.shape[-1])
    eye = torch.eye(rows.shape[-1], dtype=x.dtype)[None, None]
    higher = _module.flex_attention_hop
    blocks = _module._create_empty_block_mask(scores, eye).as_tuple()
    out = higher(scores, eye, eye, lambda score, *_: score, blocks, 1.0, {})
    return out[0].reshape(rows.shape).movedim(-1, dim)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
