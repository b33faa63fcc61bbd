"""The fused function with a bias of -inf, query, key and value of self-attention in one product."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def heads_of(x: Tensor, number: int) -> Tensor:
    return x.reshape(*x.shape[:2], number, -1).permute(0, 2, 1, 3)


def fused(q, k, v, number, mask, p):
    bias = None
    if mask is not None:
        bias = torch.zeros_like(mask, dtype=q.dtype).masked_fill(~mask, float("-inf"))
    out = F.scaled_dot_product_attention(*(heads_of(each, number) for each in (q, k, v)), bias, p)
    return out.permute(0, 2, 1, 3).flatten(2)


class Attention(nn.Module):
    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def joined(self, names: str):
        layers = [getattr(self, f"{name}_proj") for name in names]
        return torch.cat([layer.weight for layer in layers]), torch.cat([layer.bias for layer in layers])


class DecoderLayer(nn.Module):
    def __init__(
        self, hidden_size, num_heads, intermediate_size, dropout=0.0, activation="relu", norm_first=False
    ):
        super().__init__()
        if hidden_size // num_heads * num_heads != hidden_size:
            raise ValueError("num_heads has to divide hidden_size")
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation {activation!r}")
        self.activation = getattr(F, activation)
        self.number, self.p, self.norm_first = num_heads, dropout, norm_first
        self.self_attn, self.cross_attn = Attention(hidden_size), Attention(hidden_size)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.norm3 = nn.LayerNorm(hidden_size)

    def first(self, x, mask):
        q, k, v = F.linear(x, *self.self_attn.joined("qkv")).chunk(3, -1)
        return self.self_attn.o_proj(fused(q, k, v, self.number, mask, self.p if self.training else 0))

    def second(self, x, memory, mask):
        k, v = F.linear(memory, *self.cross_attn.joined("kv")).chunk(2, -1)
        q = self.cross_attn.q_proj(x)
        return self.cross_attn.o_proj(fused(q, k, v, self.number, mask, self.p if self.training else 0))

    def third(self, x):
        return self.down_proj(self.drop(self.activation(self.up_proj(x))))

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def forward(self, x, memory, mask=None, memory_mask=None):
        if self.norm_first:
            x = x + self.drop(self.first(self.norm1(x), mask))
            x = x + self.drop(self.second(self.norm2(x), memory, memory_mask))
            x = x + self.drop(self.third(self.norm3(x)))
        else:
            x = self.norm1(x + self.drop(self.first(x, mask)))
            x = self.norm2(x + self.drop(self.second(x, memory, memory_mask)))
            x = self.norm3(x + self.drop(self.third(x)))
        return x
