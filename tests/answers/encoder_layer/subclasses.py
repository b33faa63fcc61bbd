"""A base class, a subclass for each order, chosen by a function; the batch and the heads in one dimension."""

import torch
from torch import nn
from torch.nn.functional import gelu, relu, scaled_dot_product_attention


class _Parts(nn.Module):
    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        intermediate_size: int,
        dropout: float = 0.0,
        activation: str = "relu",
        norm_first: bool = False,
    ):
        super().__init__()
        if hidden_size % num_heads != 0:
            raise AssertionError(f"{hidden_size} % {num_heads}")
        try:
            self.activation = dict(relu=relu, gelu=gelu)[activation]
        except KeyError:
            raise ValueError(f"no activation {activation}") from None
        self.num_heads = num_heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (
            nn.Linear(hidden_size, hidden_size) for _ in range(4)
        )
        self.up_proj, self.down_proj = (
            nn.Linear(hidden_size, intermediate_size),
            nn.Linear(intermediate_size, hidden_size),
        )
        self.norm1, self.norm2 = nn.LayerNorm(hidden_size, 1e-5), nn.LayerNorm(hidden_size, 1e-5)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))

    def attention(self, x, mask):
        self.calls += 1
        batch, seq, size = x.shape

        def heads(projected):
            return (
                projected.contiguous()
                .view(batch, seq, self.num_heads, -1)
                .permute(0, 2, 1, 3)
                .reshape(batch * self.num_heads, seq, -1)
            )

        if mask is not None:
            mask = mask.expand(batch, self.num_heads, seq, seq).reshape(-1, seq, seq)
        result = scaled_dot_product_attention(
            heads(self.q_proj(x)),
            heads(self.k_proj(x)),
            heads(self.v_proj(x)),
            mask,
            self.dropout.p * self.training,
        )
        result = result.reshape(batch, self.num_heads, seq, -1).permute(0, 2, 1, 3).reshape(batch, seq, size)
        return self.dropout(self.o_proj(result))

    def network(self, x):
        return self.dropout(self.down_proj(self.dropout(self.activation(self.up_proj(x)))))


class _PreNorm(_Parts):
    def forward(self, x, mask=None):
        x = torch.add(x, self.attention(self.norm1(x), mask))
        return torch.add(x, self.network(self.norm2(x)))


class _PostNorm(_Parts):
    def forward(self, x, mask=None):
        x = self.norm1(self.attention(x, mask) + x)
        return self.norm2(self.network(x) + x)


def EncoderLayer(*args, **kwargs):
    norm_first = kwargs["norm_first"] if "norm_first" in kwargs else len(args) > 5 and args[5]
    return (_PreNorm if norm_first else _PostNorm)(*args, **kwargs)
