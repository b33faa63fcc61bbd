"""A table of the shapes of all tensors, multiplied and added up."""

from itertools import chain
from math import prod


def shapes_of_linear(inputs, outputs):
    return [(outputs, inputs), (outputs,)]


def shapes_of_layer(size, hidden, attentions):
    norms = [(size,), (size,)] * (attentions + 1)
    projections = [shapes_of_linear(size, size) for _ in range(4 * attentions)]
    return [*chain(*projections), *shapes_of_linear(size, hidden), *shapes_of_linear(hidden, size), *norms]


def transformer_parameters(hidden_size, num_heads, intermediate_size, encoder_layers, decoder_layers):
    assert hidden_size % num_heads == 0, "heads"
    shapes = [(hidden_size,)] * 4
    for attentions, count in ((1, encoder_layers), (2, decoder_layers)):
        shapes += shapes_of_layer(hidden_size, intermediate_size, attentions) * count
    return sum(map(prod, shapes))


def embedding_parameters(src_vocab, tgt_vocab, hidden_size, tied=False):
    tables = [(src_vocab, hidden_size), (tgt_vocab, hidden_size)]
    if not tied:
        tables.append((tgt_vocab, hidden_size))
    return sum(map(prod, tables))
