"""Small classes that build nothing but add and multiply counts by operators."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    size: int

    def __add__(self, other):
        return Block(self.size + other.size)

    def __rmul__(self, times):
        return Block(times * self.size)


def affine(source, target):
    return Block((source + 1) * target)


def transformer_parameters(hidden_size, num_heads, intermediate_size, encoder_layers, decoder_layers):
    head, rest = divmod(hidden_size, num_heads)
    if rest != 0:
        raise ValueError(f"{num_heads} heads in {hidden_size}")
    norm = Block(hidden_size) + Block(hidden_size)
    # a head's three projections, and the output projection, whose bias is shared
    attention = num_heads * (3 * affine(hidden_size, head)) + affine(hidden_size, hidden_size)
    network = affine(hidden_size, intermediate_size) + affine(intermediate_size, hidden_size)
    encoder = encoder_layers * (attention + network + 2 * norm) + norm
    decoder = decoder_layers * (2 * attention + network + 3 * norm) + norm
    return (encoder + decoder).size


def embedding_parameters(src_vocab, tgt_vocab, hidden_size, tied=False):
    table = Block(hidden_size)
    total = src_vocab * table + tgt_vocab * table
    if not tied:
        total = total + tgt_vocab * table
    return total.size
