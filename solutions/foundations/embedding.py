"""An embedding: a table with a row for each id, and the gradient that adds up in the rows that were read.

It is a one-hot vector times the table, without the product. Forbidden: F.embedding, nn.Embedding, the
embedding bags and torch.ops.aten.embedding*. Indexing, gather, one-hot products and index_add_ are allowed.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Embedding(nn.Module):
    """Rows of a table. Parameter: `weight` (num_embeddings, embedding_dim); no others."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None) -> None:
        """`weight` starts as N(0, 1): normal with mean 0 and standard deviation 1, in float32 where that
        is the default dtype; its row `padding_idx`, if that is given, at zeros.

        Each number is drawn by itself, anew for each module; what random numbers you use is up to you.
        `padding_idx` lies in [-num_embeddings, num_embeddings), a negative one counts from the end; outside
        ValueError (or AssertionError).
        """
        super().__init__()
        self.padding_idx = _row(padding_idx, num_embeddings)
        weight = torch.randn(num_embeddings, embedding_dim)
        if self.padding_idx is not None:
            weight[self.padding_idx] = 0
        self.weight = nn.Parameter(weight)

    def forward(self, token_ids: Int[Tensor, "..."]) -> Float[Tensor, "... embedding_dim"]:
        """The row of each id, in the dtype of `weight` (float32 or float64) and on its device.

        `token_ids` are int32 or int64, in [0, num_embeddings), of any shape, layout and number: also a single
        one without dimensions, or none at all. Neither they nor `weight`, which is finite, are modified.

        The padding's row is given *as it is*, also if something else than zeros has been written into it.
        But it gets no gradient. The other rows get the true one: an id that occurs several times adds up.
        """
        rows = self.weight[token_ids]  # (..., embedding_dim)
        if self.padding_idx is None:
            return rows
        is_padding = (token_ids == self.padding_idx).unsqueeze(-1)  # (..., 1)
        # The same values, but where there is padding they come from outside of the graph.
        return torch.where(is_padding, rows.detach(), rows)


def embedding_backward(
    grad_output: Float[Tensor, "... embedding_dim"],
    token_ids: Int[Tensor, "..."],
    num_embeddings: int,
    padding_idx: int | None = None,
) -> Float[Tensor, "num_embeddings embedding_dim"]:
    """The gradient of the weight, dense, where `grad_output` is that of the embedding's result.

    The rows of an id that occurs several times add up; those of ids that do not occur are zeros, and so is
    the padding's. `padding_idx` and `token_ids` are as in `Embedding`, always in range here. The result has
    the dtype (float32 or float64) and device of `grad_output`. No argument is modified.
    """
    embedding_dim = grad_output.shape[-1]
    grad_weight = grad_output.new_zeros(num_embeddings, embedding_dim)
    # grad_weight[ids] += rows would read, add and write once: of equal ids one alone would count.
    grad_weight.index_add_(0, token_ids.reshape(-1), grad_output.reshape(-1, embedding_dim))
    padding_idx = _row(padding_idx, num_embeddings)
    if padding_idx is not None:
        grad_weight[padding_idx] = 0
    return grad_weight


def _row(padding_idx: int | None, num_embeddings: int) -> int | None:
    """The padding's row, counted from the start."""
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise ValueError(f"padding_idx {padding_idx} is not one of {num_embeddings} rows")
    return padding_idx % num_embeddings
