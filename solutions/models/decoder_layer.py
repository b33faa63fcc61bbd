"""The decoder layer of the transformer: self-attention, attention over the encoder, a feed-forward network.

From "Attention Is All You Need" (Vaswani et al., 2017), section 3.1: an encoder layer with a second attention
in the middle, whose keys and values are the encoder's output. Forbidden: nn.MultiheadAttention, the
nn.Transformer… layers and the functions behind them. Allowed: everything else, also
F.scaled_dot_product_attention and nn.LayerNorm.
"""

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

_ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention and a feed-forward network, each with a residual connection and a norm.

    Parameters, and no others (buffers are free): `self_attn` and `cross_attn`, each a module with `q_proj`,
    `k_proj`, `v_proj` and `o_proj`, each an `nn.Linear(hidden_size, hidden_size)`; `up_proj`, an `nn.Linear`
    from hidden_size to intermediate_size, and `down_proj`, one back; all with biases; `norm1`, `norm2` and
    `norm3`, `nn.LayerNorm(hidden_size)` with eps 1e-5, of self-attention, cross-attention and network. Head i
    owns the features i * head_dim … (i + 1) * head_dim - 1 of the outputs of `q_proj`, `k_proj` and `v_proj`,
    with head_dim = hidden_size // num_heads; `o_proj` gets the heads' results side by side in the same order.
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

        dropout: a probability below 1. In training mode it acts on the weights of both attentions, on what
        the activation gives, and on what each of the three parts adds to the residual path. In evaluation
        mode there is none. Checked is only that two calls differ in training, that gradients are those of
        what came there too, and that nothing is dropped in evaluation.

        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size, and for any other
        activation.
        """
        super().__init__()
        if activation not in _ACTIVATIONS:
            raise ValueError(f"unknown activation {activation!r}")
        self.norm_first = norm_first
        self.self_attn = _Attention(hidden_size, num_heads, dropout)
        self.cross_attn = _Attention(hidden_size, num_heads, dropout)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.activation = _ACTIVATIONS[activation]
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.norm3 = nn.LayerNorm(hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch tgt hidden_size"],
        memory: Float[Tensor, "batch src hidden_size"],
        mask: Bool[Tensor, "#batch #num_heads #tgt #tgt"] | None = None,
        memory_mask: Bool[Tensor, "#batch #num_heads #tgt #src"] | None = None,
    ) -> Float[Tensor, "batch tgt hidden_size"]:
        """Three parts in this order: self-attention over x, cross-attention from x over memory (as it is,
        without a norm), the feed-forward network. With h what goes into a part, and norm the part's own,
        post-norm gives norm(h + part(h)), pre-norm h + part(norm(h)).

        Attention is multi-head with scores scaled by 1 / sqrt(head_dim), `o_proj` included. The network is
        `down_proj` of the activation of `up_proj`. Nothing is masked unless a mask says so, the future
        neither: a causal mask comes as `mask`.

        mask, memory_mask: of self-attention and cross-attention. True = may be attended to, as (batch, head,
        query, key); any of the four sizes may be 1. Every query has at least one key that it may attend to.

        The result has the dtype of x, memory and the parameters (float32 or float64). Scores of up to 3000,
        of either sign, at allowed and forbidden places, do not overflow, and a forbidden key gets no weight
        with them either. Gradients reach x, memory and every parameter. No argument is modified. Nothing
        lands on the default device where the arguments are on another.
        """
        if self.norm_first:
            h = self.norm1(x)
            x = x + self.dropout(self.self_attn(h, h, mask))
            # The memory has been normalized already, by the last norm of the encoder.
            x = x + self.dropout(self.cross_attn(self.norm2(x), memory, memory_mask))
            return x + self.dropout(self._feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attn(x, x, mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory_mask)))
        return self.norm3(x + self.dropout(self._feed_forward(x)))

    def _feed_forward(self, x: Tensor) -> Tensor:
        hidden = self.activation(self.up_proj(x))  # (batch, tgt, intermediate_size)
        return self.down_proj(self.dropout(hidden))


class _Attention(nn.Module):
    """Multi-head attention of x over source, which may be x itself."""

    def __init__(self, hidden_size: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def forward(self, x: Tensor, source: Tensor, mask: Tensor | None) -> Tensor:
        batch, tgt, hidden_size = x.shape
        src = source.shape[1]
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(source).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(source).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout_p)
        context = context.transpose(1, 2).reshape(batch, tgt, hidden_size)  # (batch, tgt, hidden_size)
        return self.o_proj(context)
