"""Checks of `transformer_parameters` and `embedding_parameters`: against counting what has been built."""

import functools
import warnings

import pytest
from torch import nn

from grader.kit import assert_equal, assert_numbers, assert_raises, assert_true

SIZES = [(6, 3, 11, 2, 3), (10, 5, 7, 1, 4), (14, 2, 3, 5, 1), (7, 1, 13, 1, 1)]
SIZES += [(6, 3, 5, 2, 3), (6, 3, 11, 4, 3), (6, 3, 11, 2, 1), (12, 3, 11, 2, 3)]
"""Features, heads, features of the network, layers of encoder and decoder; some with one changed."""


def counted(*modules):
    """The parameters of modules that have been built, each once."""
    parameters = {id(each): each.numel() for module in modules for each in module.parameters()}
    return sum(parameters.values())


@functools.cache
def built(hidden_size, num_heads, intermediate_size, encoder_layers, decoder_layers):
    """nn.Transformer of that size. Its parameters are there to be counted: they take no memory."""
    layers = (encoder_layers, decoder_layers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells for which sizes it has a fast path
        return nn.Transformer(hidden_size, num_heads, *layers, intermediate_size, device="meta")


def around(src_vocab, tgt_vocab, hidden_size, tied):
    """Two embeddings and the output projection."""
    source, target = (nn.Embedding(vocab, hidden_size, device="meta") for vocab in (src_vocab, tgt_vocab))
    output = nn.Linear(hidden_size, tgt_vocab, bias=False, device="meta")
    if tied:
        output.weight = target.weight
    return source, target, output


LADDER = [(1, 1, 1, 1, 1), (2, 1, 1, 1, 1), (2, 1, 3, 1, 1), (2, 2, 1, 2, 1)]


def smallest(submission, rng, hidden_size, num_heads, intermediate_size, encoder_layers, decoder_layers):
    """small sizes are counted right"""
    sizes = (hidden_size, num_heads, intermediate_size, encoder_layers, decoder_layers)
    assert_equal(submission.transformer_parameters(*sizes), counted(built(*sizes)))


def test_equals_counting(submission):
    """equals the number of parameters of nn.Transformer"""
    came = {str(sizes): submission.transformer_parameters(*sizes) for sizes in SIZES}
    assert_numbers(came, {str(sizes): counted(built(*sizes)) for sizes in SIZES}, tolerance=0.0)


def test_of_one_encoder_layer_more(submission):
    """one encoder layer more has as many parameters more as nn.TransformerEncoderLayer"""
    came = [submission.transformer_parameters(6, 3, 11, layers, 2) for layers in (4, 5)]
    expected = counted(nn.TransformerEncoderLayer(6, 3, 11))
    assert_equal(came[1] - came[0], expected)


def test_of_one_decoder_layer_more(submission):
    """one decoder layer more has as many parameters more as nn.TransformerDecoderLayer"""
    came = [submission.transformer_parameters(6, 3, 11, 2, layers) for layers in (4, 5)]
    expected = counted(nn.TransformerDecoderLayer(6, 3, 11))
    assert_equal(came[1] - came[0], expected)


def test_of_what_is_there_once(submission):
    """what does not grow with the layers is counted once: a norm after each stack"""
    one, two = (submission.transformer_parameters(6, 3, 11, layers, layers) for layers in (1, 2))
    assert_equal(one - (two - one), counted(nn.LayerNorm(6), nn.LayerNorm(6)))


def test_model_of_the_paper(submission):
    """the base model of the paper has 44,140,544 parameters beside its embeddings"""
    assert_equal(submission.transformer_parameters(512, 8, 2048, 6, 6), 44_140_544)


def test_any_sizes(submission, rng):
    """whatever the sizes are, all parameters are counted, those of the embeddings too"""
    came, expected = {}, {}
    for most in (5, 17, 150):
        heads, features, intermediate_size = rng.integers(1, most, 3).tolist()
        sizes = (heads * features, heads, intermediate_size, *rng.integers(1, 4, 2).tolist())
        around_it = (*rng.integers(1, 3 * most, 2).tolist(), features, most > 5)
        came[str(sizes)] = submission.transformer_parameters(*sizes)
        came[f"embeddings {around_it}"] = submission.embedding_parameters(*around_it)
        expected |= {
            str(sizes): counted(built(*sizes)),
            f"embeddings {around_it}": counted(*around(*around_it)),
        }
    assert_numbers(came, expected, tolerance=0.0)


@pytest.mark.parametrize("num_heads", [1, 2, 8])
def test_heads_change_nothing(submission, num_heads):
    """the number of heads does not change the number of parameters"""
    came = submission.transformer_parameters(8, num_heads, 5, 1, 2)
    assert_equal(came, counted(built(8, num_heads, 5, 1, 2)))


@pytest.mark.parametrize("tied", [False, True])
def test_embeddings(submission, tied):
    """two embeddings and the output projection are counted, the shared one once where they are tied"""
    sizes = [(11, 13, 6), (29, 17, 5), (1, 1, 1), (13, 13, 7), (7, 13, 6), (11, 5, 6), (11, 13, 9)]
    came = {str(each): submission.embedding_parameters(*each, tied) for each in sizes}
    assert_numbers(came, {str(each): counted(*around(*each, tied)) for each in sizes}, tolerance=0.0)


def test_embeddings_are_not_tied_by_default(submission):
    """where nothing is said the output projection has weights of its own"""
    assert_equal(submission.embedding_parameters(11, 13, 6), counted(*around(11, 13, 6, False)))


@pytest.mark.parametrize("tied", [False, True])
def test_large_embeddings(submission, tied):
    """the vocabularies of real models are counted exactly, as whole numbers, where they are tied too"""
    came = submission.embedding_parameters(256_000, 128_256, 8192, tied=tied)
    assert_equal(came, 8192 * (256_000 + (2 - tied) * 128_256))


@pytest.mark.parametrize("hidden_size, num_heads", [(6, 4), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError"""
    assert_raises(submission.transformer_parameters, hidden_size, num_heads, 11, 2, 3)


def test_large_models(submission):
    """sizes of real models are counted exactly, as whole numbers"""
    came = submission.transformer_parameters(12_288, 96, 49_152, 96, 96)
    assert_equal(came, 405_912_207_360)


def test_more_than_53_bits(submission):
    """counts above 2**53, which a float only holds rounded, are exact"""
    sizes = (210_000_003, 3, 840_000_001, 2, 3)
    came, expected = submission.transformer_parameters(*sizes), counted(built(*sizes))
    if type(came) is int and 0 < abs(came - expected) < expected >> 40:
        message = f"got {came}, expected {expected}: on the way it is a float, which has 53 bits"
        assert_true(False, message, seen="rounded")  # to what, the order of the operations decides
    else:
        assert_equal(came, expected)
