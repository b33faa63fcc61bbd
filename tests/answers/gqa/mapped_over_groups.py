"""vmap over batch, key/value heads and the queries of a group; dropout factors are drawn before."""

import torch
from torch import nn
from torch.func import vmap


def _head(q, k, v, allowed, factors):  # (seq, dim) thrice, (seq, seq) twice
    scores = (q @ k.T / q.shape[-1] ** 0.5).masked_fill(~allowed, float("-inf"))
    shifted = torch.exp(scores - scores.amax(dim=-1, keepdim=True).detach())
    return ((shifted / shifted.sum(dim=-1, keepdim=True)) * factors) @ v


_group = vmap(_head, in_dims=(0, None, None, 0, 0))
_all = vmap(vmap(_group))


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, "num_heads must divide hidden_size"
        assert num_kv_heads > 0 and num_heads % num_kv_heads == 0, "num_kv_heads must divide num_heads"
        small = hidden_size // num_heads * num_kv_heads
        sizes = {"q_proj": hidden_size, "k_proj": small, "v_proj": small, "o_proj": hidden_size}
        for name, size in sizes.items():
            setattr(self, name, nn.Linear(hidden_size, size))
        self.shape, self.p = (num_kv_heads, num_heads // num_kv_heads), dropout

    def forward(self, x, mask=None):
        batch, seq, _ = x.shape
        kv, group = self.shape
        q = self.q_proj(x).view(batch, seq, kv, group, -1).movedim(1, 3)
        k, v = (f(x).view(batch, seq, kv, -1).transpose(1, 2) for f in (self.k_proj, self.v_proj))
        if mask is None:
            mask = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=x.device)
        allowed = mask.expand(batch, kv * group, seq, seq).unflatten(1, self.shape)
        factors = torch.ones(batch, kv, group, seq, seq, dtype=x.dtype, device=x.device)
        if self.training:
            factors = factors.bernoulli_(1 - self.p).div_(1 - self.p)
        out = _all(q, k, v, allowed, factors)  # (batch, kv, group, seq, dim)
        return self.o_proj(out.movedim(3, 1).flatten(2))
