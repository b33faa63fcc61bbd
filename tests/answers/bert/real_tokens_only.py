"""One sequence at a time, padding left out of the computation altogether; a named tuple as the result."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Output(NamedTuple):
    sequence: Tensor
    pooled: Tensor


class Embeddings(nn.Module):
    def __init__(self, words, positions, types, size, pad_id, eps, p):
        super().__init__()
        self.word_embeddings = nn.Embedding(words, size)
        self.position_embeddings = nn.Embedding(positions, size)
        self.token_type_embeddings = nn.Embedding(types, size)
        self.norm = nn.LayerNorm(size, eps=eps)
        self.drop = nn.Dropout(p)
        self.pad_id = pad_id
        self.word_embeddings.weight.data[pad_id].zero_()

    def forward(self, ids, types, positions):
        words = self.word_embeddings(ids)
        words = torch.where((ids == self.pad_id).unsqueeze(-1), words.detach(), words)
        total = words + self.position_embeddings(positions) + self.token_type_embeddings(types)
        return self.drop(self.norm(total))


class Layer(nn.Module):
    def __init__(self, size, heads, hidden, eps, p):
        super().__init__()
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, nn.Linear(size, size))
        self.up_proj, self.down_proj = nn.Linear(size, hidden), nn.Linear(hidden, size)
        self.norm1, self.norm2 = nn.LayerNorm(size, eps=eps), nn.LayerNorm(size, eps=eps)
        self.heads, self.p = heads, p

    def forward(self, x):  # (seq, size)
        q, k, v = (
            p(x).unflatten(-1, (self.heads, -1)).transpose(0, 1)
            for p in (self.q_proj, self.k_proj, self.v_proj)
        )
        p = self.p if self.training else 0.0
        read = F.scaled_dot_product_attention(q, k, v, dropout_p=p).transpose(0, 1).flatten(1)
        x = self.norm1(x + F.dropout(self.o_proj(read), p))
        return self.norm2(x + F.dropout(self.down_proj(nn.functional.gelu(self.up_proj(x))), p))


class Bert(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        num_layers: int,
        num_heads: int,
        intermediate_size: int,
        max_position: int,
        type_vocab_size: int = 2,
        pad_id: int = 0,
        eps: float = 1e-12,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError("num_heads has to divide hidden_size")
        self.embeddings = Embeddings(
            vocab_size, max_position, type_vocab_size, hidden_size, pad_id, eps, dropout
        )
        self.layers = nn.ModuleList(
            [Layer(hidden_size, num_heads, intermediate_size, eps, dropout) for _ in range(num_layers)]
        )
        self.pooler = nn.Linear(hidden_size, hidden_size)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        rows = []
        for i, ids in enumerate(input_ids):
            kept = positions if attention_mask is None else positions[attention_mask[i]]
            types = torch.zeros_like(ids) if token_type_ids is None else token_type_ids[i]
            x = self.embeddings(ids[kept], types[kept], kept)
            for layer in self.layers:
                x = layer(x)
            rows.append(x.new_zeros(len(ids), x.shape[1]).index_put((kept,), x))
        output = torch.stack(rows)
        return Output(output, torch.tanh(self.pooler(output[:, 0])))
