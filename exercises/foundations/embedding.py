"""An embedding: a table with a row for each id, and the gradient that adds up in the rows that were read.

It is a one-hot vector times the table, without the product. Forbidden: F.embedding, nn.Embedding, the
embedding bags and torch.ops.aten.embedding*. Indexing, gather, one-hot products and index_add_ are allowed.
"""

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
        raise NotImplementedError

    def forward(self, token_ids: Int[Tensor, "..."]) -> Float[Tensor, "... embedding_dim"]:
        """The row of each id, in the dtype of `weight` (float32 or float64) and on its device.

        `token_ids` are int32 or int64, in [0, num_embeddings), of any shape, layout and number: also a single
        one without dimensions, or none at all. Neither they nor `weight`, which is finite, are modified.

        The padding's row is given *as it is*, also if something else than zeros has been written into it.
        But it gets no gradient. The other rows get the true one: an id that occurs several times adds up.
        """
        raise NotImplementedError


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
    raise NotImplementedError
