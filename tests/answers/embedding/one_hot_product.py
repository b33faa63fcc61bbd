"""One-hot product with a table whose padding row is cut off the graph; backward by index_put with
accumulate.
"""

import torch
import torch.nn.functional as F
from torch import nn


class Embedding(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None):
        super().__init__()
        table = torch.randn(num_embeddings, embedding_dim)
        self.pad = None
        if padding_idx is not None:
            self.pad = padding_idx + num_embeddings if padding_idx < 0 else padding_idx
            assert 0 <= self.pad < num_embeddings, "padding_idx is out of range"
            table[self.pad] = 0
        self.weight = nn.Parameter(table)

    def forward(self, token_ids):
        table = self.weight
        if self.pad is not None:
            table = torch.cat(
                [table[: self.pad], table[self.pad : self.pad + 1].detach(), table[self.pad + 1 :]]
            )
        hot = F.one_hot(token_ids.to(table.device).long(), num_classes=table.shape[0]).to(table.dtype)
        return torch.tensordot(hot, table, dims=1)


def embedding_backward(grad_output, token_ids, num_embeddings, padding_idx=None):
    result = grad_output.new_zeros((num_embeddings,) + grad_output.shape[-1:])
    result.index_put_((token_ids.long(),), grad_output, accumulate=True)
    if padding_idx is not None:
        result[padding_idx] = 0
    return result
