"""An RNN over the tokens for the causal form; einsum for the other one; prints."""

import torch


def feature(x):
    return torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))


class Memory:
    def __init__(self, like, eps):
        self.matrix = like.new_zeros(*like.shape[:-2], like.shape[-1], like.shape[-1])
        self.vector = like.new_zeros(*like.shape[:-2], like.shape[-1])
        self.eps = eps

    def add(self, key, value):
        self.matrix = self.matrix + torch.einsum("...d,...e->...de", key, value)
        self.vector = self.vector + key

    def read(self, query):
        above = torch.einsum("...d,...de->...e", query, self.matrix)
        below = torch.einsum("...d,...d->...", query, self.vector)
        return above / (below.unsqueeze(-1) + self.eps)


def linear_attention(query, key, value, is_causal=False, eps=1e-6):
    query, key = feature(query), feature(key)
    if is_causal:
        print("token by token")
        memory, rows = Memory(query, eps), []
        for i in range(query.shape[-2]):
            memory.add(key[..., i, :], value[..., i, :])
            rows.append(memory.read(query[..., i, :]))
        return torch.stack(rows, dim=-2)
    state = torch.einsum("...sd,...se->...de", key, value)
    below = torch.einsum("...sd,...d->...s", query, key.sum(-2))
    return torch.einsum("...sd,...de->...se", query, state) / (below.unsqueeze(-1) + eps)
