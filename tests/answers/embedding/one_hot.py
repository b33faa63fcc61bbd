"""One-hot products in both directions; the padding's gradient is zeroed by a hook."""

import torch
import torch.nn.functional as F
from torch import nn


class Embedding(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(num_embeddings, embedding_dim))
        nn.init.normal_(self.weight)
        if padding_idx is not None:
            assert -num_embeddings <= padding_idx < num_embeddings
            with torch.no_grad():
                self.weight[padding_idx].fill_(0)

            def without_padding(grad):
                grad = grad.clone()
                grad[padding_idx] = 0
                return grad

            self.weight.register_hook(without_padding)

    def forward(self, ids):
        return F.one_hot(ids.long(), len(self.weight)).to(self.weight.dtype) @ self.weight


def embedding_backward(grad_output, ids, num_embeddings, padding_idx=None):
    hot = F.one_hot(ids.long(), num_embeddings).to(grad_output.dtype)
    if padding_idx is not None:
        hot[..., padding_idx] = 0
    return torch.einsum("...v,...d->vd", hot, grad_output)
