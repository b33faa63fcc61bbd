"""BERT's embeddings: a token's vector is the sum of what it is, where it stands and which segment it is in.

From BERT (Devlin et al., 2018), section 3: three tables of learned vectors, added up and normalized. Nothing
is forbidden: nn.Embedding and nn.LayerNorm are allowed.
"""

from jaxtyping import Float, Int
from torch import Tensor, nn


class BertEmbeddings(nn.Module):
    """Layer norm of the sum of word, position and token type embeddings.

    Parameters, and no others: `word_embeddings.weight` (vocab_size, hidden_size),
    `position_embeddings.weight` (max_position, hidden_size), `token_type_embeddings.weight` (type_vocab_size,
    hidden_size), and `norm.weight` and `norm.bias` (hidden_size,), those of an `nn.LayerNorm`. Buffers are
    free, saved with the parameters or not.
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        max_position: int,
        type_vocab_size: int,
        pad_id: int = 0,
        eps: float = 1e-12,
        dropout: float = 0.0,
    ) -> None:
        """pad_id: the token of padding, 0 … vocab_size - 1. Its row of `word_embeddings` is zero at first and
        its gradient is always zero; the other tables have no such row. How all else starts is free.
        eps: what the norm adds to the variance.

        dropout: a probability below 1, of dropping an entry of the normalized sum, in training mode only.
        Checked is only that two calls differ in training, that gradients are those of what came there too,
        and that nothing is dropped in evaluation.
        """
        raise NotImplementedError

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"],
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        past_length: int = 0,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """The embeddings of tokens past_length, past_length + 1, … of their sequences.

        input_ids: int64. token_type_ids: int64, the segment of each token; None means segment 0 for all.
        past_length: how many tokens stand in front of these; past_length + seq is at most max_position.

        Padding is treated like any other token: its row is read as it stands there, whatever has been loaded
        into it, and position and type are added to it. It takes a place like the others. The result has the
        parameters' dtype (float32 or float64). Gradients reach every parameter. No argument is modified.
        Nothing that a call makes lands on the default device where module and arguments are on another.
        """
        raise NotImplementedError
