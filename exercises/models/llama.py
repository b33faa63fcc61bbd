"""Llama: a decoder with RMSNorm, rotary positions, grouped-query attention and SwiGLU.

From "LLaMA: Open and Efficient Foundation Language Models" (Touvron et al., 2023); later ones share keys and
values among query heads. Forbidden: nn.MultiheadAttention, the nn.Transformer… layers and the functions
behind them. Allowed: everything else, also nn.RMSNorm (whose own eps is not the one asked for) and
F.scaled_dot_product_attention.
"""

from jaxtyping import Float, Int
from torch import Tensor, nn


class Llama(nn.Module):
    """A language model: embedding, layers of causal attention and a gated network, a norm, logits.

    Parameters, and no others (buffers are free): `token_embedding`, an `nn.Embedding`; `layers`, a ModuleList
    of num_layers modules, each with `norm1`, `q_proj` (to num_heads * head_dim = hidden_size), `k_proj` and
    `v_proj` (to num_kv_heads * head_dim), `o_proj`, `norm2`, `gate_proj` and `up_proj` (to intermediate_size)
    and `down_proj` (back); `norm`; `lm_head` (hidden_size to vocab_size, with a weight of its own). All
    linear layers have bias=False; norms have a `weight` of hidden_size features alone.

    Head i owns the features i * head_dim … (i + 1) * head_dim - 1 of its projection, with head_dim =
    hidden_size // num_heads; `o_proj` gets the heads' results side by side in the same order.
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        num_layers: int,
        num_heads: int,
        num_kv_heads: int,
        intermediate_size: int,
        base: float = 10000.0,
        eps: float = 1e-5,
    ) -> None:
        """base: of the rotary frequencies. eps: what every norm adds to the mean square. Initial values are
        free.

        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size, if num_kv_heads does
        not divide num_heads, or if head_dim is odd.
        """
        raise NotImplementedError

    def forward(self, token_ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab_size"]:
        """Logits for the token after each place.

        The embedding goes through the layers. A layer is pre-norm: x becomes h = x + attention(norm1(x)),
        then h + down_proj(silu(gate_proj(n)) * up_proj(n)) with n = norm2(h). A norm is x / sqrt(mean(x^2) +
        eps) * weight, over the features. Then `norm` and `lm_head`.

        Attention is causal (token i attends to the tokens 0 … i) and grouped: with g = num_heads //
        num_kv_heads, the query heads i * g … (i + 1) * g - 1 share key/value head i. Scores are scaled by
        1 / sqrt(head_dim); `o_proj` comes last. Before, queries and keys are turned by their positions 0, 1,
        … (of any first number, since only distances count): in each head feature i and feature i + head_dim /
        2 are pair i, and at position m pair i, (a, b), becomes (a cos t - b sin t, a sin t + b cos t) with
        t = m * base^(-2 i / head_dim).

        token_ids: int64, seq at most 512. No dropout. The result has the parameters' dtype (float32 or
        float64); values and gradients are right to 1e-5 of the largest, so that tables in float32 will do.
        Scores of up to 3000, of either sign, do not overflow, and later tokens get no weight with them either
        (to 1e-3 of the largest). Gradients reach every parameter. token_ids is not modified. Nothing lands on
        the default device where token_ids and the parameters are on another.
        """
        raise NotImplementedError
