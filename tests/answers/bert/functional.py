"""Weights in modules without a forward; the model is one long function. Attention by hand, mask as a bias."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def holder(**children):
    module = nn.Module()
    for name, child in children.items():
        module.add_module(name, child)
    return module


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
        assert hidden_size % num_heads == 0
        super().__init__()
        size = hidden_size
        self.embeddings = holder(
            word_embeddings=nn.Embedding(vocab_size, size, padding_idx=pad_id),
            position_embeddings=nn.Embedding(max_position, size),
            token_type_embeddings=nn.Embedding(type_vocab_size, size),
            norm=nn.LayerNorm(size, eps),
        )
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            projections = {f"{name}_proj": nn.Linear(size, size) for name in "qkvo"}
            network = {
                "up_proj": nn.Linear(size, intermediate_size),
                "down_proj": nn.Linear(intermediate_size, size),
            }
            norms = {f"norm{i}": nn.LayerNorm(size, eps) for i in (1, 2)}
            self.layers.append(holder(**projections, **network, **norms))
        self.pooler = nn.Linear(size, size)
        self.heads, self.p = num_heads, dropout

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        def drop(y):
            return F.dropout(y, self.p, self.training)

        e = self.embeddings
        batch, seq = input_ids.shape
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        x = e.word_embeddings(input_ids) + e.token_type_embeddings(types) + e.position_embeddings.weight[:seq]
        x = drop(e.norm(x))
        bias = 0
        if attention_mask is not None:
            bias = torch.zeros_like(attention_mask, dtype=x.dtype)
            bias = bias.masked_fill(~attention_mask, torch.finfo(x.dtype).min)[:, None, None]
        for layer in self.layers:
            q, k, v = (
                getattr(layer, f"{name}_proj")(x).view(batch, seq, self.heads, -1).transpose(1, 2)
                for name in "qkv"
            )
            weights = F.softmax(q @ k.mT / math.sqrt(q.shape[-1]) + bias, dim=-1)
            read = (drop(weights) @ v).transpose(1, 2).flatten(2)
            x = layer.norm1(x + drop(layer.o_proj(read)))
            hidden = layer.up_proj(x)
            hidden = hidden * 0.5 * (1.0 + torch.erf(hidden / math.sqrt(2.0)))
            x = layer.norm2(x + drop(layer.down_proj(hidden)))
        return (x, self.pooler(x[:, 0, :]).tanh())
