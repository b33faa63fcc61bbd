"""The layer inherits its attention; query, key and value in one product; the stack is recursive."""

import torch
from torch import nn
from torch.nn.functional import embedding, gelu, layer_norm, linear, scaled_dot_product_attention


class Attention(nn.Module):
    def __init__(self, size, heads, p):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(size, size) for _ in range(4))
        self.heads = heads
        self.drop = nn.Dropout(p)

    def attend(self, x, allowed):
        weight = torch.cat((self.q_proj.weight, self.k_proj.weight, self.v_proj.weight))
        bias = torch.cat((self.q_proj.bias, self.k_proj.bias, self.v_proj.bias))
        q, k, v = linear(x, weight, bias).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind()
        if allowed is not None:
            allowed = allowed.expand(-1, self.heads, x.shape[1], -1)
        out = scaled_dot_product_attention(q, k, v, allowed, self.drop.p if self.training else 0)
        return self.o_proj(torch.cat(out.unbind(1), dim=-1))


class Layer(Attention):
    def __init__(self, size, heads, hidden, eps, p):
        super().__init__(size, heads, p)
        self.norm1 = nn.LayerNorm(size, eps)
        self.up_proj = nn.Linear(size, hidden)
        self.down_proj = nn.Linear(hidden, size)
        self.norm2 = nn.LayerNorm(size, eps)

    def forward(self, x, allowed):
        h = self.norm1(self.drop(self.attend(x, allowed)) + x)
        return self.norm2(self.drop(self.down_proj(gelu(self.up_proj(h)))) + h)


class Tables(nn.Module):
    def __init__(self, sizes, width, pad_id, eps):
        super().__init__()
        self.pad_id, self.eps = pad_id, eps
        for name, rows in sizes.items():
            self.add_module(f"{name}_embeddings", nn.Embedding(rows, width))
        nn.init.constant_(self.word_embeddings.weight[pad_id].detach(), 0.0)
        self.norm = nn.LayerNorm(width)

    def forward(self, ids, types):
        x = embedding(ids, self.word_embeddings.weight, padding_idx=self.pad_id)
        x = x + self.position_embeddings.weight.narrow(0, 0, ids.shape[1])
        x = x + (self.token_type_embeddings.weight[0] if types is None else self.token_type_embeddings(types))
        return layer_norm(x, x.shape[2:], self.norm.weight, self.norm.bias, self.eps)


class Bert(nn.Module):
    def __init__(
        self,
        vocab_size,
        hidden_size,
        num_layers,
        num_heads,
        intermediate_size,
        max_position,
        type_vocab_size=2,
        pad_id=0,
        eps=1e-12,
        dropout=0.0,
    ):
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"{hidden_size} features for {num_heads} heads")
        tables = {"word": vocab_size, "position": max_position, "token_type": type_vocab_size}
        self.embeddings = Tables(tables, hidden_size, pad_id, eps)
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(Layer(hidden_size, num_heads, intermediate_size, eps, dropout))
        self.pooler = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def through(self, x, allowed, depth):
        return x if depth == 0 else self.layers[depth - 1](self.through(x, allowed, depth - 1), allowed)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        allowed = None if attention_mask is None else attention_mask.unsqueeze(1).unsqueeze(1)
        x = self.through(self.drop(self.embeddings(input_ids, token_type_ids)), allowed, len(self.layers))
        return [x, self.pooler(x.select(1, 0)).tanh()]
