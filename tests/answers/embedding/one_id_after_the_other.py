"""Loops over ids, as plain numbers."""

import torch


class Embedding(torch.nn.Module):
    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None):
        super().__init__()
        if padding_idx is not None and not (-num_embeddings <= padding_idx <= num_embeddings - 1):
            raise ValueError("padding_idx")
        self.padding_idx = (
            padding_idx if padding_idx is None or padding_idx >= 0 else num_embeddings + padding_idx
        )
        self.num, self.dim = num_embeddings, embedding_dim
        self.weight = torch.nn.Parameter(
            torch.stack([self.first(row, embedding_dim) for row in range(num_embeddings)])
        )

    def first(self, row, size):
        return torch.zeros(size) if row == self.padding_idx else torch.randn(size)

    def forward(self, token_ids):
        rows = [self.row(number) for number in token_ids.flatten().tolist()]
        if not rows:
            return self.weight[:0].reshape(*token_ids.shape, self.dim)
        return torch.stack(rows).view(*token_ids.shape, self.dim)

    def row(self, number):
        row = self.weight[number]
        return row.detach() if number == self.padding_idx else row


def embedding_backward(grad_output, token_ids, num_embeddings, padding_idx=None):
    print(token_ids.shape, padding_idx)
    dim = grad_output.size(-1)
    grads = [
        torch.zeros(dim, dtype=grad_output.dtype, device=grad_output.device) for _ in range(num_embeddings)
    ]
    for number, grad in zip(token_ids.flatten().tolist(), grad_output.reshape(-1, dim), strict=True):
        grads[number] = grads[number] + grad
    if padding_idx is not None:
        grads[padding_idx] = torch.zeros_like(grads[padding_idx])
    return torch.stack(grads)
