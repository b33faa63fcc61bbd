"""Multi-head attention on PyTorch's fused kernel: one projection in, one out, and the built-in between.

The attention is that of "Attention Is All You Need" (Vaswani et al., 2017); F.scaled_dot_product_attention
computes it in tiles, as FlashAttention (Dao et al., 2022) does. Forbidden: nn.MultiheadAttention, as a module
and as a function. Where costs are counted, compute in torch, not in NumPy.
"""

import torch.nn.functional as F
from jaxtyping import Float, Shaped
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Multi-head self-attention through F.scaled_dot_product_attention.

    Parameters: `qkv_proj`, an `nn.Linear(hidden_size, 3 * hidden_size)` whose output is query, key and value
    side by side in this order, hidden_size features each, and `o_proj`, an
    `nn.Linear(hidden_size, hidden_size)`; both have a bias, and there are no others. Head i owns the features
    i * head_dim … (i + 1) * head_dim - 1 of the query, of the key and of the value, with
    head_dim = hidden_size // num_heads; `o_proj` gets the heads' results side by side in the same order.
    """

    def __init__(self, hidden_size: int, num_heads: int, dropout: float = 0.0) -> None:
        """hidden_size: features of a token, divided evenly among num_heads heads.

        dropout: probability of dropping an attention weight, in training mode only.
        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.dropout = dropout

    def forward(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        mask: Shaped[Tensor, "#batch #num_heads #seq #seq"] | None = None,
        is_causal: bool = False,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """Attention of every token over all tokens, with scores scaled by 1 / sqrt(head_dim).

        It must call F.scaled_dot_product_attention on all heads' queries, keys and values, with every kind of
        mask, and makes no tensor of the scores' size (batch * num_heads * seq * seq) by a matrix product of
        its own.

        mask: as (batch, head, query, key); any of the four sizes may be 1. Either boolean, True = may be
        attended to, or of any other dtype, integer or floating point, with 1 = may be attended to and 0 = may
        not; its dtype need not be that of x. Every query has at least one key that it may attend to.
        is_causal: token i attends to the tokens 0 … i only. Never True together with a mask.

        Dropout acts on the attention weights, as the built-in's dropout_p does; in evaluation there is none.
        The result has the dtype of x and the parameters (float32 or float64). Scores of up to a few thousand,
        of either sign, at allowed and forbidden places, do not overflow. Gradients reach x and every
        parameter. No argument is modified.
        """
        batch, seq, hidden_size = x.shape
        query, key, value = self.qkv_proj(x).chunk(3, dim=-1)  # each (batch, seq, hidden_size)
        query = query.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = key.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = value.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)

        if mask is not None:
            # The built-in drops keys for a boolean mask only. It adds a mask of floats to the scores.
            mask = mask.bool()
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout if self.training else 0.0
        context = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal
        )  # (batch, num_heads, seq, head_dim)

        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)
        return self.o_proj(context)
