"""GPT-2: a stack of pre-norm decoder layers that predicts the next token.

From "Language Models are Unsupervised Multitask Learners" (Radford et al., 2019). The embedding matrix is
used twice, for the tokens that go in and for the logits that come out. Forbidden: nn.MultiheadAttention, the
nn.Transformer… layers and the functions behind them. Allowed: everything else, also nn.LayerNorm,
F.scaled_dot_product_attention and torch.nn.init.
"""

from jaxtyping import Float, Int
from torch import Tensor, nn


class GPT2(nn.Module):
    """A language model: embeddings, layers of causal attention and a feed-forward network, a norm, logits.

    Parameters, and no others (buffers are free): `token_embedding` and `position_embedding`, `nn.Embedding`s
    with vocab_size and max_position rows of hidden_size; `layers`, a ModuleList of num_layers modules, each
    with `norm1`, `qkv_proj` (from hidden_size to 3 * hidden_size: query, key and value side by side in this
    order), `o_proj` (hidden_size to hidden_size), `norm2`, `up_proj` (to 4 * hidden_size) and `down_proj`
    (back); `norm`. Linear layers have biases, norms are `nn.LayerNorm(hidden_size)` with eps 1e-5.

    The logits have no parameters of their own: they use `token_embedding.weight`. A module `lm_head` may
    share it (as one and the same parameter, without a bias), and may be made before or after the embedding.
    Head i owns the features i * head_dim … (i + 1) * head_dim - 1 of query, key and value, with head_dim =
    hidden_size // num_heads; `o_proj` gets the heads' results side by side in the same order.
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        num_layers: int,
        num_heads: int,
        max_position: int,
        dropout: float = 0.0,
    ) -> None:
        """Initial values: all weights of linear layers and embeddings are drawn from a normal distribution of
        mean 0 and standard deviation 0.02, but those of `o_proj` and `down_proj` with 0.02 / sqrt(2 *
        num_layers). Biases are 0, norms have weights 1 and biases 0.

        dropout: a probability below 1. In training mode entries are dropped as by nn.Dropout, in four places
        and no others: the sum of the embeddings, the attention weights, and what each of the two parts of a
        layer adds (after `o_proj` and after `down_proj`). In evaluation mode nothing is dropped.

        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        raise NotImplementedError

    def forward(self, token_ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab_size"]:
        """Logits for the token after each place.

        The sum of token and position embeddings (positions 0, 1, …) goes through the layers. A layer is
        pre-norm: x becomes h = x + attention(norm1(x)), and that h + down_proj(gelu(up_proj(norm2(h)))).
        Attention is multi-head and causal (token i attends to the tokens 0 … i), with scores scaled by 1 /
        sqrt(head_dim), `o_proj` included; gelu is the tanh approximation. Then `norm`, and the product with
        the transposed token embedding, without a bias or a scale.

        token_ids: int64. Raises ValueError (or AssertionError) if seq is more than max_position. The result
        has the parameters' dtype (float32 or float64). Scores of up to 3000, of either sign, do not overflow,
        and later tokens get no weight with them either. Gradients reach every parameter, the token embedding
        from both ends. token_ids is not modified. Nothing lands on the default device where token_ids and
        the parameters are on another.
        """
        raise NotImplementedError
