"""Attention through learned latent queries, in two stages: linear in the sequence for few latents.

The latents gather from all tokens, then all tokens read the latents: as in Set Transformer's inducing points
(Lee et al., 2019) and Perceiver IO (Jaegle et al., 2021). It is *not* DeepSeek's multi-head latent attention,
which compresses keys and values, token by token. Nothing is forbidden.
"""

import math

import torch
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
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.latent_q = nn.Parameter(torch.randn(1, latent_len, hidden_size) * 0.02)
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

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
        batch, seq, hidden_size = x.shape
        latent = self._split(self.latent_q.expand(batch, -1, -1))  # (batch, num_heads, latent_len, head_dim)
        query = self._split(self.q_proj(x))  # (batch, num_heads, seq, head_dim)
        key = self._split(self.k_proj(x))
        value = self._split(self.v_proj(x))

        # Padding is left out here once; the summary that comes out has none.
        summary = self._attend(latent, key, value, mask)  # (batch, num_heads, latent_len, head_dim)
        results = self._attend(query, summary, summary, None)  # (batch, num_heads, seq, head_dim)

        merged = results.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)
        return self.o_proj(merged)

    def _split(self, x: Float[Tensor, "batch length hidden"]) -> Float[Tensor, "batch heads length head_dim"]:
        """Cut the features into heads, and move the heads before the sequence."""
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def _attend(
        self,
        query: Float[Tensor, "batch heads q_len head_dim"],
        key: Float[Tensor, "batch heads kv_len head_dim"],
        value: Float[Tensor, "batch heads kv_len head_dim"],
        mask: Bool[Tensor, "#batch 1 1 kv_len"] | None,
    ) -> Float[Tensor, "batch heads q_len head_dim"]:
        scores = query @ key.transpose(-2, -1)  # (batch, heads, q_len, kv_len)
        scores = scores / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        return weights @ value
