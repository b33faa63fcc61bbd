"""The encoder layer of the transformer: self-attention, then a feed-forward network, each on a residual path.

From "Attention Is All You Need" (Vaswani et al., 2017), section 3.1, which normalizes every sum (post-norm).
Most later models normalize what goes into each part instead (pre-norm), and train more stably. Forbidden:
nn.MultiheadAttention, the nn.Transformer… layers and the functions behind them. Allowed: everything else,
also F.scaled_dot_product_attention and nn.LayerNorm.
"""

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

_ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}


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
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        if activation not in _ACTIVATIONS:
            raise ValueError(f"unknown activation {activation!r}")
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.norm_first = norm_first
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.activation = _ACTIVATIONS[activation]
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.dropout = nn.Dropout(dropout)

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
        if self.norm_first:
            # Nothing stands on the path from x to the result but sums, so gradients pass it as they are.
            x = x + self.dropout(self._attention(self.norm1(x), mask))
            return x + self.dropout(self._feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self._attention(x, mask)))
        return self.norm2(x + self.dropout(self._feed_forward(x)))

    def _attention(self, x: Tensor, mask: Tensor | None) -> Tensor:
        batch, seq, hidden_size = x.shape
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout_p)
        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)
        return self.o_proj(context)

    def _feed_forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.up_proj(x))  # (batch, seq, intermediate_size)
        return self.down_proj(self.dropout(hidden))
