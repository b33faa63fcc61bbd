"""One token after the other, one storage per head; prints."""

import math

import torch
from torch import nn

print("one at a time")


class KVCache:
    def __init__(self, batch_size, num_kv_heads, max_len, head_dim, dtype=torch.float32):
        self.max_len = max_len
        self.length = 0
        self.heads = [
            tuple(torch.zeros(max_len, batch_size, head_dim, dtype=dtype) for _ in range(2))
            for _ in range(num_kv_heads)
        ]

    def update(self, key, value):
        if self.length + key.shape[2] > self.max_len:
            raise ValueError(f"{self.length} + {key.shape[2]} > {self.max_len}")
        for t in range(key.shape[2]):
            for (keys, values), k, v in zip(self.heads, key.unbind(1), value.unbind(1), strict=True):
                keys[self.length] = k[:, t]
                values[self.length] = v[:, t]
            self.length += 1
        both = [
            torch.stack([head[i][: self.length].transpose(0, 1) for head in self.heads], dim=1)
            for i in range(2)
        ]
        return both[0], both[1]


class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.dim, rest = divmod(hidden_size, num_heads)
        self.group, other_rest = divmod(num_heads, num_kv_heads)
        if rest + other_rest > 0:
            raise ValueError((hidden_size, num_heads, num_kv_heads))
        self.frequencies = [base ** (-2 * i / self.dim) for i in range(self.dim // 2)]
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.dim, bias=False)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.dim, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)

    def turn(self, t, position):
        cos = t.new_tensor([math.cos(position * f) for f in self.frequencies])
        sin = t.new_tensor([math.sin(position * f) for f in self.frequencies])
        a, b = t.tensor_split(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def forward(self, x, cache=None):
        past = cache.length if cache is not None else 0
        keys, values, outputs = [], [], []
        for t, token in enumerate(x.unbind(1)):
            q = self.turn(self.q_proj(token).unflatten(1, (-1, self.group, self.dim)), past + t)
            k = self.turn(self.k_proj(token).unflatten(1, (-1, self.dim)), past + t)
            v = self.v_proj(token).unflatten(1, (-1, self.dim))
            if cache is not None:
                all_k, all_v = cache.update(k[:, :, None], v[:, :, None])
            else:
                keys.append(k)
                values.append(v)
                all_k, all_v = torch.stack(keys, dim=2), torch.stack(values, dim=2)
            weights = torch.softmax(q @ all_k.mT / math.sqrt(self.dim), dim=-1)
            outputs.append(self.o_proj((weights @ all_v).flatten(1)))
        return torch.stack(outputs, dim=1)
