"""The encoder layer of the transformer: self-attention, then a feed-forward network, each on a residual path.

From "Attention Is All You Need" (Vaswani et al., 2017), section 3.1, which normalizes every sum (post-norm).
Most later models normalize what goes into each part instead (pre-norm), and train more stably. Forbidden:
nn.MultiheadAttention, the nn.Transformer… layers and the functions behind them. Allowed: everything else,
also F.scaled_dot_product_attention and nn.LayerNorm.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn


class EncoderLayer(nn.Module):
    """Multi-head self-attention and a feed-forward network, each with a residual connection and a norm.

    Parameters, and no others (buffers are free): `q_proj`, `k_proj`, `v_proj` and `o_proj`, each an
    `nn.Linear(hidden_size, hidden_size)`; `up_proj`, an `nn.Linear` from hidden_size to intermediate_size,
    and `down_proj`, one back; all with biases; `norm1` and `norm2`, `nn.LayerNorm(hidden_size)` with eps
    1e-5. Head i owns the features i * head_dim … (i + 1) * head_dim - 1 of the outputs of `q_proj`, `k_proj`
    and `v_proj`, with head_dim = hidden_size // num_heads; `o_proj` gets the heads' results side by side in
    the same order.
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        intermediate_size: int,
        dropout: float = 0.0,
        activation: str = "relu",
        norm_first: bool = False,
    ) -> None:
        """activation: "relu" or "gelu" (exact, with erf), between `up_proj` and `down_proj`.
        norm_first: False for post-norm, True for pre-norm.

        dropout: a probability below 1. In training mode it acts where nn.TransformerEncoderLayer has it: on
        the attention weights, on what the activation gives, and on what each of the two parts adds to the
        residual path. In evaluation mode there is none. Checked is only that two calls differ in training,
        that gradients are those of what came there too, and that nothing is dropped in evaluation.

        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size, and for any other
        activation.
        """
        raise NotImplementedError

    def forward(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        mask: Bool[Tensor, "#batch #num_heads #seq #seq"] | None = None,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """Post-norm: x becomes norm1(x + attention(x)), and that, h, becomes norm2(h + feed_forward(h)).
        Pre-norm: x becomes x + attention(norm1(x)), and that, h, becomes h + feed_forward(norm2(h)).

        attention is multi-head self-attention with scores scaled by 1 / sqrt(head_dim), `o_proj` included;
        feed_forward is `down_proj` of the activation of `up_proj`.

        mask: True = may be attended to, as (batch, head, query, key); any of the four sizes may be 1. Every
        query has at least one key that it may attend to.

        The result has the dtype of x and the parameters (float32 or float64). Scores of up to 3000, of either
        sign, at allowed and forbidden places, do not overflow, and a forbidden key gets no weight with them
        either. Gradients reach x and every parameter. No argument is modified.
        """
        raise NotImplementedError
