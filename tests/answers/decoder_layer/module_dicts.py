"""Decoder layer with fused attention; two subclasses choose the order of the norms."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention


class CrossAttention(nn.ModuleDict):
    """The four projections as a ModuleDict."""

    def __init__(self, size: int, heads: int, dropout: float):
        super().__init__({f"{c}_proj": nn.Linear(size, size) for c in "qkvo"})
        self.heads = heads
        self.dropout_p = dropout

    def forward(self, x: Tensor, context: Tensor, allowed: Tensor | None) -> Tensor:
        def project(name: str, t: Tensor) -> Tensor:
            return torch.stack(self[name](t).tensor_split(self.heads, dim=-1), dim=1)

        if allowed is not None:
            allowed = allowed.expand(x.shape[0], self.heads, x.shape[1], context.shape[1])
        result = scaled_dot_product_attention(
            project("q_proj", x),
            project("k_proj", context),
            project("v_proj", context),
            attn_mask=allowed,
            dropout_p=self.dropout_p if self.training else 0.0,
        )
        return self["o_proj"](torch.cat(result.unbind(dim=1), dim=-1))


class SelfAttention(CrossAttention):
    def forward(self, x: Tensor, allowed: Tensor | None) -> Tensor:
        return super().forward(x, x, allowed)


def _post(h: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
    return norm(h + part(h))


def _pre(h: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
    return h + part(norm(h))


class DecoderLayer(nn.Module):
    def __init__(self, size, heads, inner, p=0.0, nonlinearity="relu", pre_norm=False):
        super().__init__()
        if size % heads != 0:
            raise ValueError(f"{heads} heads do not divide {size} features")
        try:
            self.nonlinearity = {"relu": nn.ReLU, "gelu": nn.GELU}[nonlinearity]()
        except KeyError:
            raise ValueError(f"activation {nonlinearity!r}") from None
        self.wrap = _pre if pre_norm else _post
        self.self_attn = SelfAttention(size, heads, p)
        self.cross_attn = CrossAttention(size, heads, p)
        self.up_proj, self.down_proj = nn.Linear(size, inner), nn.Linear(inner, size)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(size), nn.LayerNorm(size), nn.LayerNorm(size)
        self.drop = nn.Dropout(p)

    def forward(self, x, memory, mask=None, memory_mask=None):
        h = self.wrap(x, self.norm1, lambda n: self.drop(self.self_attn(n, mask)))
        h = self.wrap(h, self.norm2, lambda n: self.drop(self.cross_attn(n, memory, memory_mask)))
        inner = lambda n: self.drop(self.nonlinearity(self.up_proj(n)))  # noqa: E731
        return self.wrap(h, self.norm3, lambda n: self.drop(self.down_proj(inner(n))))
