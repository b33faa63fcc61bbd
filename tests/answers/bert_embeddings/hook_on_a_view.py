"""A hook on the fresh view of the word table zeroes the padding row's gradient; token by token accumulation
into one tensor by copy_.
"""

import torch
from torch import nn


class BertEmbeddings(nn.Module):
    def __init__(
        self, vocab_size, hidden_size, max_position, type_vocab_size, pad_id=0, eps=1e-12, dropout=0.0
    ):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, padding_idx=pad_id)
        self.position_embeddings = nn.Embedding(max_position, hidden_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, hidden_size)
        self.norm = nn.LayerNorm(normalized_shape=(hidden_size,), eps=eps)
        self.pad_id = pad_id
        self.keep = 1.0 - dropout

    def _without_pad(self, grad):
        grad = grad.clone()
        grad[self.pad_id].zero_()
        return grad

    def forward(self, input_ids, token_type_ids=None, past_length=0):
        table = self.word_embeddings.weight
        words = table.view_as(table)
        if words.requires_grad:
            words.register_hook(self._without_pad)
        positions = self.position_embeddings.weight
        kinds = self.token_type_embeddings.weight
        batch, seq = input_ids.shape
        total = words.new_empty(batch, seq, words.size(1))
        for t in range(seq):
            segment = kinds[:1] if token_type_ids is None else kinds[token_type_ids[:, t]]
            total[:, t].copy_(words[input_ids[:, t]] + positions[past_length + t] + segment)
        y = self.norm(total)
        if self.training and self.keep < 1.0:
            y = y * torch.empty_like(y).bernoulli_(self.keep) / self.keep
        return y
