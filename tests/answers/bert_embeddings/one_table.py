"""One lookup in the three tables put together, with the padding row's gradient cut by hand."""

import torch
from torch import nn


class Table(nn.Module):
    def __init__(self, rows, size):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(rows, size).uniform_(-0.1, 0.1))


class BertEmbeddings(nn.Module):
    def __init__(
        self, vocab_size, hidden_size, max_position, type_vocab_size, pad_id=0, eps=1e-12, dropout=0.0
    ):
        super().__init__()
        self.norm = nn.LayerNorm(hidden_size, eps)
        self.token_type_embeddings = Table(type_vocab_size, hidden_size)
        self.position_embeddings = Table(max_position, hidden_size)
        self.word_embeddings = Table(vocab_size, hidden_size)
        self.word_embeddings.weight.data[pad_id].zero_()
        self.pad_id, self.drop = pad_id, nn.Dropout(dropout)

    def forward(self, input_ids, token_type_ids=None, past_length=0):
        words = self.word_embeddings.weight
        is_pad = torch.arange(len(words), device=words.device).eq(self.pad_id).unsqueeze(1)
        table = torch.cat(
            [
                torch.where(is_pad, words.detach(), words),
                self.position_embeddings.weight,
                self.token_type_embeddings.weight,
            ]
        )
        places = input_ids.new_tensor(range(past_length, past_length + input_ids.size(1)))
        first = len(words)
        second = first + len(self.position_embeddings.weight)
        types = token_type_ids if token_type_ids is not None else torch.full_like(input_ids, 0)
        rows = torch.stack([input_ids, (places + first).expand(input_ids.shape), types + second])
        return self.drop(self.norm(table[rows].sum(0)))
