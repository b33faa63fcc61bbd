"""Query by query against a prefix of the keys (no mask anywhere), positions that start at 5, softmax from
logsumexp.
"""

import torch
from torch import nn


class _Norm(nn.Module):
    def __init__(self, hidden, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))
        self.eps = eps

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps))


class _Layer(nn.Module):
    def __init__(self, hidden, heads, kv_heads, inner, eps):
        super().__init__()
        self.kv_heads, self.width = kv_heads, hidden // heads
        self.norm1 = _Norm(hidden, eps)
        self.q_proj = nn.Linear(hidden, hidden, bias=False)
        self.k_proj = nn.Linear(hidden, kv_heads * self.width, bias=False)
        self.v_proj = nn.Linear(hidden, kv_heads * self.width, bias=False)
        self.o_proj = nn.Linear(hidden, hidden, bias=False)
        self.norm2 = _Norm(hidden, eps)
        self.gate_proj = nn.Linear(hidden, inner, bias=False)
        self.up_proj = nn.Linear(hidden, inner, bias=False)
        self.down_proj = nn.Linear(inner, hidden, bias=False)

    def attention(self, x, cos, sin):
        b, s, _ = x.shape
        half = self.width // 2

        def turn(t):
            first, second = t[..., :half], t[..., half:]
            return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)

        q = (
            turn(self.q_proj(x).view(b, s, -1, self.width)).unflatten(2, (self.kv_heads, -1))
            / self.width**0.5
        )
        k = turn(self.k_proj(x).view(b, s, self.kv_heads, self.width))
        v = self.v_proj(x).view(b, s, self.kv_heads, self.width)
        rows = []
        for i in range(s):
            scores = torch.einsum("bngd,bjnd->bngj", q[:, i], k[:, : i + 1])
            weights = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
            rows.append(torch.einsum("bngj,bjnd->bngd", weights, v[:, : i + 1]).flatten(1))
        return self.o_proj(torch.stack(rows, dim=1))

    def forward(self, x, cos, sin):
        x = x + self.attention(self.norm1(x), cos, sin)
        n = self.norm2(x)
        gate = self.gate_proj(n)
        return x + self.down_proj(gate * torch.sigmoid(gate) * self.up_proj(n))


class Llama(nn.Module):
    def __init__(
        self,
        vocab_size,
        hidden_size,
        num_layers,
        num_heads,
        num_kv_heads,
        intermediate_size,
        base=10000.0,
        eps=1e-5,
    ):
        super().__init__()
        assert hidden_size % num_heads == 0
        assert num_heads % num_kv_heads == 0
        assert hidden_size // num_heads % 2 == 0
        width = hidden_size // num_heads
        self.frequencies = [base ** (-2.0 * i / width) for i in range(width // 2)]
        self.lm_head = nn.Linear(hidden_size, vocab_size, bias=False)
        self.norm = _Norm(hidden_size, eps)
        layers = [
            _Layer(hidden_size, num_heads, num_kv_heads, intermediate_size, eps) for _ in range(num_layers)
        ]
        self.layers = nn.ModuleList(layers)
        self.token_embedding = nn.Embedding(vocab_size, hidden_size)

    def forward(self, token_ids):
        x = self.token_embedding(token_ids)
        frequencies = torch.tensor(self.frequencies, dtype=torch.float64, device=x.device)
        places = torch.arange(5, 5 + token_ids.shape[1], dtype=torch.float64, device=x.device)
        angles = torch.outer(places, frequencies)[:, None]
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.lm_head(self.norm(x))
