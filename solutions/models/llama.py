"""Llama: a decoder with RMSNorm, rotary positions, grouped-query attention and SwiGLU.

From "LLaMA: Open and Efficient Foundation Language Models" (Touvron et al., 2023); later ones share keys and
values among query heads. Forbidden: nn.MultiheadAttention, the nn.Transformer… layers and the functions
behind them. Allowed: everything else, also nn.RMSNorm (whose own eps is not the one asked for) and
F.scaled_dot_product_attention.
"""

import torch
import torch.nn.functional as F
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
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        if num_heads % num_kv_heads != 0:
            raise ValueError(f"num_heads {num_heads} is not divisible by num_kv_heads {num_kv_heads}")
        if hidden_size // num_heads % 2 != 0:
            raise ValueError(f"head_dim {hidden_size // num_heads} is odd, features are turned in pairs")
        self.base = base
        self.head_dim = hidden_size // num_heads
        self.token_embedding = nn.Embedding(vocab_size, hidden_size)
        self.layers = nn.ModuleList(
            _Layer(hidden_size, num_heads, num_kv_heads, intermediate_size, eps) for _ in range(num_layers)
        )
        self.norm = _RMSNorm(hidden_size, eps)
        self.lm_head = nn.Linear(hidden_size, vocab_size, bias=False)

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
        x = self.token_embedding(token_ids)  # (batch, seq, hidden_size)
        cos, sin = self._tables(token_ids.shape[1], x)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.lm_head(self.norm(x))  # (batch, seq, vocab_size)

    def _tables(self, seq: int, x: Tensor) -> tuple[Tensor, Tensor]:
        # In float32 at least: in bfloat16 large positions would collapse.
        pairs = torch.arange(0, self.head_dim, 2, dtype=torch.float32, device=x.device)
        frequencies = self.base ** (-pairs / self.head_dim)  # (head_dim / 2)
        angles = torch.arange(seq, device=x.device)[:, None] * frequencies  # (seq, head_dim / 2)
        angles = torch.cat((angles, angles), dim=-1)  # (seq, head_dim)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)


class _RMSNorm(nn.Module):
    def __init__(self, hidden_size: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight


class _Layer(nn.Module):
    """Causal grouped-query attention and a gated feed-forward network, pre-norm."""

    def __init__(
        self, hidden_size: int, num_heads: int, num_kv_heads: int, intermediate_size: int, eps: float
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_size // num_heads
        kv_size = num_kv_heads * self.head_dim
        self.norm1 = _RMSNorm(hidden_size, eps)
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, kv_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, kv_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.norm2 = _RMSNorm(hidden_size, eps)
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self._attention(self.norm1(x), cos, sin)
        return x + self._feed_forward(self.norm2(x))

    def _attention(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        batch, seq, hidden_size = x.shape
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)
        # Scores then depend on distances. Values are what is passed on, wherever it comes from.
        query, key = _turned(query, cos, sin), _turned(key, cos, sin)
        groups = self.num_heads // self.num_kv_heads
        key = key.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)
        value = value.repeat_interleave(groups, dim=1)
        context = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)
        return self.o_proj(context)

    def _feed_forward(self, x: Tensor) -> Tensor:
        hidden = F.silu(self.gate_proj(x)) * self.up_proj(x)  # (batch, seq, intermediate_size)
        return self.down_proj(hidden)


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin
