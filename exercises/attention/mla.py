"""Multi-head latent attention (MLA): keys and values come from one small latent per token, which is cached.

From "DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model" (2024). RoPE has
features of its own: a rotation between the query and the up-projection of a key would keep the two from being
merged. Nothing is forbidden: F.scaled_dot_product_attention and nn.RMSNorm may be used. Where costs are
counted, compute in torch, not in NumPy.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """Self-attention over a compressed cache.

    Parameters, and no others; each `nn.Linear` has bias=False, the norms are `nn.RMSNorm(…, eps=1e-6)`, whose
    only parameter is `weight`:
    `q_a_proj` (hidden_size → q_lora_rank), `q_a_norm` (q_lora_rank),
    `q_b_proj` (q_lora_rank → num_heads * (nope + rope)),
    `kv_a_proj` (hidden_size → kv_lora_rank + rope), `kv_a_norm` (kv_lora_rank),
    `kv_b_proj` (kv_lora_rank → num_heads * (nope + v)),
    `o_proj` (num_heads * v → hidden_size),
    with nope = qk_nope_head_dim, rope = qk_rope_head_dim, v = v_head_dim.

    The features stand in this order. Output of `q_b_proj`: head after head, each [nope query | rope query].
    Of `kv_a_proj`: [latent | rope key]. Of `kv_b_proj`: head after head, each [nope key | value].
    `o_proj` gets the heads' results side by side in their order.

    cos and sin have one row for each token of x, at whatever positions these are, and the dtype of x. A row
    holds the cosines (sines) of rope / 2 angles, and then the same again. RoPE turns in halves: with angle t,
    the pair a = feature i and b = feature i + rope / 2 becomes (a cos t - b sin t, a sin t + b cos t).

    All methods give results in the dtype of x and the parameters (float32 or float64) and modify no argument.
    Scores of up to a few thousand, of either sign, do not overflow.
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        q_lora_rank: int,
        kv_lora_rank: int,
        qk_nope_head_dim: int,
        qk_rope_head_dim: int,
        v_head_dim: int,
    ) -> None:
        """The sizes are free of each other; qk_rope_head_dim is even."""
        raise NotImplementedError

    def forward(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        cos: Float[Tensor, "seq rope"],
        sin: Float[Tensor, "seq rope"],
        mask: Bool[Tensor, "#batch #num_heads #seq #seq"] | None = None,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """Attention of every token over all tokens (not causal by itself), as in training.

        `q_b_proj` gets the normalized output of `q_a_proj`, `kv_b_proj` the normalized latent. In each head
        query and key are [nope | rope], the rope parts of both turned. There is one rope key per token, which
        all heads share. Scores are scaled by 1 / sqrt(nope + rope).
        mask: True = may be attended to, as (batch, head, query, key); any of the four sizes may be 1. Every
        query has at least one key that it may attend to.

        Gradients reach x and every parameter; for cos and sin none are asked, nor in the other methods.
        """
        raise NotImplementedError

    def compress(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        cos: Float[Tensor, "seq rope"],
        sin: Float[Tensor, "seq rope"],
    ) -> tuple[Float[Tensor, "batch seq kv_lora_rank"], Float[Tensor, "batch seq rope"]]:
        """What a cache stores of each token: (latent, rope key), the latent normalized, the rope key turned.

        That is kv_lora_rank + rope numbers per token, whatever the number of heads is.
        """
        raise NotImplementedError

    def decode(
        self,
        x: Float[Tensor, "batch 1 hidden_size"],
        latent: Float[Tensor, "batch kv_len kv_lora_rank"],
        rope_key: Float[Tensor, "batch kv_len rope"],
        cos: Float[Tensor, "1 rope"],
        sin: Float[Tensor, "1 rope"],
    ) -> Float[Tensor, "batch 1 hidden_size"]:
        """Attention of one new token over a cache: the last row of a causal forward over all kv_len tokens.

        latent and rope_key are what compress gave for all tokens, the new one (the last) included: all that
        decode knows of the others, since other calls, or another module with the same weights, may have made
        them. cos and sin are the new token's row.

        The cache is never expanded to keys and values of heads, not of one at a time either: `kv_b_proj` is
        merged into the query and into the result instead. So
        - no operation makes a tensor of batch * num_heads * kv_len * min(nope, v) elements or more. Views
          count, expanded ones too: a matmul of (batch, num_heads, 1, n) by (batch, 1, n, kv_len) makes one,
          and so does the built-in's enable_gqa=True. It is checked with sizes at which the arguments, latent
          and rope_key as one tensor, and the weights, even expanded over the batch, are smaller;
        - for large kv_len the products, of matrices or elementwise, take fewer FLOPs (two per multiplication)
          than expanding the keys or the values would,
          2 * batch * kv_len * num_heads * kv_lora_rank * min(nope, v). Keys and values of heads may even be
          too large for their dtype where the query in the latent space, the scores and the result are not.
        """
        raise NotImplementedError
