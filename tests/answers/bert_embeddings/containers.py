"""Tables as bare parameters in small containers, looked up by slicing and F.embedding; the norm by hand."""

import torch
import torch.nn.functional as F
from torch import nn


class _Weight(nn.Module):
    def __init__(self, rows, cols):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, cols) * 0.02)


class _Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))
        self.eps = eps

    def forward(self, x):
        centered = x - x.mean(-1, keepdim=True)
        variance = (centered * centered).mean(-1, keepdim=True)
        return centered * torch.rsqrt(variance + self.eps) * self.weight + self.bias


class BertEmbeddings(nn.Module):
    def __init__(
        self, vocab_size, hidden_size, max_position, type_vocab_size, pad_id=0, eps=1e-12, dropout=0.0
    ):
        super().__init__()
        self.word_embeddings = _Weight(vocab_size, hidden_size)
        self.position_embeddings = _Weight(max_position, hidden_size)
        self.token_type_embeddings = _Weight(type_vocab_size, hidden_size)
        self.norm = _Norm(hidden_size, eps)
        self.pad_id = pad_id
        self.p = dropout
        with torch.no_grad():
            self.word_embeddings.weight[pad_id].zero_()

    def forward(self, input_ids, token_type_ids=None, past_length=0):
        word = F.embedding(input_ids, self.word_embeddings.weight, padding_idx=self.pad_id)
        position = self.position_embeddings.weight[past_length : past_length + input_ids.size(1)]
        if token_type_ids is None:
            segment = self.token_type_embeddings.weight[0]
        else:
            segment = F.embedding(token_type_ids, self.token_type_embeddings.weight)
        out = self.norm(word + position + segment)
        return F.dropout(out, self.p, training=self.training)
