"""One-hot vectors times the tables; the norm written out; positions sliced from the table."""

import torch
import torch.nn.functional as F
from torch import nn


class BertEmbeddings(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        max_position: int,
        type_vocab_size: int,
        pad_id: int = 0,
        eps: float = 1e-12,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size)
        self.position_embeddings = nn.Embedding(max_position, hidden_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, hidden_size)
        self.norm = nn.LayerNorm(hidden_size)
        with torch.no_grad():
            self.word_embeddings.weight[pad_id] = 0.0
        self.pad_id, self.eps, self.dropout = pad_id, eps, dropout

    def forward(self, input_ids, token_type_ids=None, past_length=0):
        words, types = self.word_embeddings.weight, self.token_type_embeddings.weight
        hot = F.one_hot(input_ids, len(words)).to(words.dtype)
        pad = hot[..., self.pad_id : self.pad_id + 1] * words[self.pad_id].detach()
        others = [i for i in range(len(words)) if i != self.pad_id]
        x = hot[..., others] @ words[others] + pad
        x = x + self.position_embeddings.weight[past_length : past_length + input_ids.shape[-1]]
        if token_type_ids is None:
            x = x + types[0]
        else:
            x = x + F.one_hot(token_type_ids, len(types)).to(types.dtype) @ types
        mean = x.mean(-1, keepdim=True)
        x = (x - mean) / (x.var(-1, unbiased=False, keepdim=True) + self.eps) ** 0.5
        return F.dropout(self.norm.weight * x + self.norm.bias, self.dropout, self.training)
