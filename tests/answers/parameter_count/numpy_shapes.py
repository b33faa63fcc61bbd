"""Sizes of empty NumPy views, head by head; a class for the parts."""

from dataclasses import dataclass

import numpy as np


def numel(*shape):
    return int(np.prod(shape, dtype=np.int64))


@dataclass
class Part:
    size: int
    heads: int
    hidden: int

    def attention(self):
        width, rest = divmod(self.size, self.heads)
        if rest:
            raise ValueError(f"{self.size} features for {self.heads} heads")
        of_a_head = 3 * (numel(width, self.size) + width) + numel(self.size, width)
        return self.heads * of_a_head + self.size

    def network(self):
        return numel(2, self.size, self.hidden) + self.size + self.hidden

    def norm(self):
        return numel(2, self.size)


def transformer_parameters(hidden_size, num_heads, intermediate_size, encoder_layers, decoder_layers):
    part = Part(hidden_size, num_heads, intermediate_size)
    total = 0
    for layers, attentions in ((encoder_layers, 1), (decoder_layers, 2)):
        for _ in range(layers):
            total += (
                part.network() + sum(part.attention() + part.norm() for _ in range(attentions)) + part.norm()
            )
        total += part.norm()
    return total


def embedding_parameters(src_vocab, tgt_vocab, hidden_size, tied=False):
    matrices = {"source": numel(src_vocab, hidden_size), "target": numel(tgt_vocab, hidden_size)}
    matrices["target" if tied else "output"] = numel(tgt_vocab, hidden_size)
    return sum(matrices.values())
