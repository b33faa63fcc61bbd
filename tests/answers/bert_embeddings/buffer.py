"""A buffer with all positions, configuration by position or keyword, F.embedding, one sequence at a time."""

import torch
import torch.nn.functional as F
from torch import nn


class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, hidden_size, max_position, type_vocab_size, pad_id=0, *rest, **named):
        super().__init__()
        eps, dropout = (named.get(name, own) for name, own in {"eps": 1e-12, "dropout": 0.0}.items())
        eps, dropout = [*rest, *(eps, dropout)[len(rest) :]]
        make = {"embedding_dim": hidden_size}
        self.word_embeddings = nn.Embedding(vocab_size, **make, padding_idx=pad_id)
        self.position_embeddings = nn.Embedding(max_position, **make)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, **make)
        for table in (self.word_embeddings, self.position_embeddings, self.token_type_embeddings):
            nn.init.normal_(table.weight, std=0.02)
        nn.init.zeros_(self.word_embeddings.weight[pad_id])
        self.norm = nn.LayerNorm(hidden_size, eps)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("all_positions", torch.arange(max_position), persistent=False)

    def forward(self, input_ids, token_type_ids=None, past_length=0):
        rows = []
        for number, row in enumerate(input_ids):
            places = self.all_positions[past_length:][: len(row)]
            x = F.embedding(row, self.word_embeddings.weight, self.word_embeddings.padding_idx)
            x = x + self.position_embeddings(places)
            kinds = torch.zeros_like(row) if token_type_ids is None else token_type_ids[number]
            rows.append(self.norm(x + self.token_type_embeddings(kinds)))
        return self.dropout(torch.stack(rows))
