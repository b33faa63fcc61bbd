"""Sequence by sequence on the real tokens alone (padding is never computed, its rows stay zero), no mask
anywhere.
"""

import torch
import torch.nn.functional as F
from torch import nn


class _Layer(nn.Module):
    def __init__(self, hidden, heads, inner, eps, dropout):
        super().__init__()
        self.heads, self.p = heads, dropout
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, nn.Linear(hidden, hidden))
        self.up_proj, self.down_proj = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(hidden, eps=eps), nn.LayerNorm(hidden, eps=eps)

    def drop(self, t):
        return F.dropout(t, self.p, self.training)

    def forward(self, x):  # tokens, hidden
        n, c = x.shape
        q, k, v = (
            f(x).view(n, self.heads, -1).transpose(0, 1) for f in (self.q_proj, self.k_proj, self.v_proj)
        )
        weights = torch.bmm(q, k.transpose(1, 2)).div((c // self.heads) ** 0.5).softmax(-1)
        mixed = torch.bmm(self.drop(weights), v).transpose(0, 1).reshape(n, c)
        h = self.norm1(x + self.drop(self.o_proj(mixed)))
        return self.norm2(h + self.drop(self.down_proj(F.gelu(self.up_proj(h)))))


class _Embeddings(nn.Module):
    def __init__(self, vocab, hidden, places, types, pad_id, eps):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab, hidden, padding_idx=pad_id)
        self.position_embeddings = nn.Embedding(places, hidden)
        self.token_type_embeddings = nn.Embedding(types, hidden)
        self.norm = nn.LayerNorm(hidden, eps=eps)

    def forward(self, ids, places, types):
        return self.norm(
            self.word_embeddings(ids) + self.position_embeddings(places) + self.token_type_embeddings(types)
        )


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
        if hidden_size % num_heads:
            raise ValueError("num_heads must divide hidden_size")
        super().__init__()
        self.embeddings = _Embeddings(vocab_size, hidden_size, max_position, type_vocab_size, pad_id, eps)
        self.layers = nn.ModuleList(
            _Layer(hidden_size, num_heads, intermediate_size, eps, dropout) for _ in range(num_layers)
        )
        self.pooler = nn.Linear(hidden_size, hidden_size)
        self.p = dropout

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        outputs = []
        for b, ids in enumerate(input_ids):
            places = torch.arange(len(ids), device=ids.device)
            if attention_mask is not None:
                places = places[attention_mask[b]]
            types = torch.zeros_like(places) if token_type_ids is None else token_type_ids[b, places]
            x = F.dropout(self.embeddings(ids[places], places, types), self.p, self.training)
            for layer in self.layers:
                x = layer(x)
            outputs.append(x.new_zeros(len(ids), x.shape[1]).index_copy(0, places, x))
        output = torch.stack(outputs)
        return output, torch.tanh(self.pooler(output[:, 0]))
