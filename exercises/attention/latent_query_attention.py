"""Attention through learned latent queries, in two stages: linear in the sequence for few latents.

The latents gather from all tokens, then all tokens read the latents: as in Set Transformer's inducing points
(Lee et al., 2019) and Perceiver IO (Jaegle et al., 2021). It is *not* DeepSeek's multi-head latent attention,
which compresses keys and values, token by token. Nothing is forbidden.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn


class LatentQueryAttention(nn.Module):
    """Two attentions, each in num_heads heads, through latent_len learned latents.

    Parameters, and no others (buffers are free): `latent_q`, an nn.Parameter of shape (1, latent_len,
    hidden_size) with any finite values at first; `q_proj`, `k_proj`, `v_proj` and `o_proj`, each an
    `nn.Linear` with a bias from hidden_size to hidden_size. Head i owns the features i * head_dim …
    (i + 1) * head_dim - 1 of `latent_q` and of the first three projections, with head_dim = hidden_size //
    num_heads; `o_proj` gets the heads' results side by side in the same order.
    """

    def __init__(self, hidden_size: int, num_heads: int, latent_len: int, dropout: float = 0.0) -> None:
        """latent_len: how many latents there are, at least 1.

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        raise NotImplementedError

    def forward(
        self,
        x: Float[Tensor, "batch seq hidden_size"],
        mask: Bool[Tensor, "#batch 1 1 seq"] | None = None,
    ) -> Float[Tensor, "batch seq hidden_size"]:
        """Stage 1: the latents attend over the tokens. Stage 2: the tokens attend over what came out.

        In stage 1 the queries are `latent_q`, split into heads as it is (no projection), the same for all
        sequences; keys and values are k_proj(x) and v_proj(x), under the mask. In stage 2 the queries are
        q_proj(x), and the heads' results of stage 1 serve as keys *and* as values, without projections and
        without a mask. Scores of both stages are scaled by 1 / sqrt(head_dim). Then `o_proj`.

        mask: True = this token may be attended to, for all queries and heads; its first size may be 1. Every
        sequence has at least one such token.

        Dropout acts on the attention weights of both stages, each on its own, after the softmax; in
        evaluation there is none. The result has the dtype and device of x and the parameters (float32 or
        float64). Scores of stage 1 of up to a few thousand, of either sign, do not overflow. Gradients reach
        x and every parameter. No argument is modified.
        """
        raise NotImplementedError
