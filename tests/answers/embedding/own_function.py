"""An autograd.Function, index_select and index_put_."""

import torch
from torch import nn


def embedding_backward(grad_output, token_ids, num_embeddings, padding_idx=None):
    d = grad_output.shape[-1]
    result = torch.zeros((num_embeddings, d), dtype=grad_output.dtype, device=grad_output.device)
    if padding_idx is None:
        keep = torch.ones_like(token_ids, dtype=torch.bool)
    else:
        keep = token_ids != (padding_idx + num_embeddings) % num_embeddings
    return result.index_put_((token_ids[keep],), grad_output[keep], accumulate=True)


class Lookup(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weight, ids, padding_idx):
        ctx.save_for_backward(ids)
        ctx.rows, ctx.padding_idx = weight.shape[0], padding_idx
        return weight.index_select(0, ids.reshape(-1)).reshape(ids.shape + weight.shape[1:])

    @staticmethod
    def backward(ctx, grad_output):
        (ids,) = ctx.saved_tensors
        return embedding_backward(grad_output, ids, ctx.rows, ctx.padding_idx), None, None


class Embedding(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None):
        super().__init__()
        if padding_idx is not None and padding_idx not in range(-num_embeddings, num_embeddings):
            raise ValueError(f"no row {padding_idx}")
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.weight = nn.Parameter(torch.normal(0.0, 1.0, size=(num_embeddings, embedding_dim)))
        if padding_idx is not None:
            self.weight.data[padding_idx].zero_()

    def forward(self, token_ids):
        return Lookup.apply(self.weight, token_ids, self.padding_idx)
