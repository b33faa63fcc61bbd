"""Gather with an expanded index, torch.where against the detached result at the padding; backward by
scatter_add.
"""

import torch
from torch import nn


class Embedding(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None):
        super().__init__()
        self.weight = nn.Parameter(torch.normal(torch.zeros(num_embeddings, embedding_dim), 1.0))
        self.padding = None
        if padding_idx is not None:
            if padding_idx not in range(-num_embeddings, num_embeddings):
                raise ValueError(f"padding_idx {padding_idx} is out of range")
            self.padding = range(num_embeddings)[padding_idx]
            with torch.no_grad():
                self.weight[self.padding].fill_(0.0)

    def forward(self, token_ids):
        flat = token_ids.to(self.weight.device, torch.int64).flatten().unsqueeze(1)
        rows = self.weight.gather(0, flat.expand(-1, self.weight.shape[1]))
        if self.padding is not None:
            rows = torch.where(flat == self.padding, rows.detach(), rows)
        return rows.view(*token_ids.shape, self.weight.shape[1])


def embedding_backward(grad_output, token_ids, num_embeddings, padding_idx=None):
    dim = grad_output.shape[-1]
    ids = token_ids.long().reshape(-1, 1)
    rows = grad_output.reshape(ids.shape[0], dim)
    sums = torch.zeros(num_embeddings, dim, dtype=rows.dtype, device=rows.device)
    sums = sums.scatter_add(0, ids.expand(ids.shape[0], dim), rows)
    if padding_idx is None:
        return sums
    places = torch.arange(num_embeddings, device=rows.device).unsqueeze(1)
    return sums.masked_fill(places == padding_idx % num_embeddings, 0.0)
