"""One row, and vmap for the others."""

import torch


def _row(row):
    exps = (row - row.amax()).exp()
    return exps / exps.sum()


def softmax(x, dim=-1):
    moved = x.movedim(dim, -1)
    if moved.dim() == 1:
        return _row(moved)
    rows = torch.vmap(_row)(moved.reshape(-1, moved.shape[-1]))
    return rows.reshape(moved.shape).movedim(-1, dim)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
