"""Checks of `sinusoidal`: the table against its formula, the embedding that adds it, dtypes and devices."""

import math
from functools import partial

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_close,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
    assert_true,
)
from grader.kit.comparison import difference
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import (
    assert_keeps_device,
    assert_moves,
    assert_on_default_device,
    with_float64_as_default,
)
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill

NEAR = 1e-5  # of positions below 128
FAR = 1e-3  # float32 angles of some thousands are off by some 1e-4


def workload(submission, rng):
    return submission.sinusoidal_encoding.measure(128, 64)


LADDER = [(1, 2), (2, 2), (2, 4), (3, 4)]


def smallest(submission, rng, seq, dim):
    """small whole numbers give what the formula gives"""
    assert_close(submission.sinusoidal_encoding(seq, dim), encoding(seq, dim), absolute=NEAR)
    module = submission.TransformerEmbedding(3, dim, seq)
    weights = fill(rng, module)
    token_ids = rng.integers(0, 3, 1, seq)
    assert_close(module(token_ids), embedded(weights, token_ids), absolute=NEAR)


def encoding(seq_len, dim, base=10000.0):
    """The oracle: number by number."""
    frequencies = [base ** (-2 * (column // 2) / dim) for column in range(dim)]
    rows = [
        [(math.sin, math.cos)[column % 2](m * frequency) for column, frequency in enumerate(frequencies)]
        for m in range(seq_len)
    ]
    return torch.tensor(rows, dtype=torch.float64).float()


def embedded(weights, token_ids):
    weight = weights["token_embedding.weight"]
    rows = F.embedding(token_ids, weight)
    return math.sqrt(weight.shape[1]) * rows + encoding(*rows.shape[1:]).to(weight.dtype)


def randomized(module, rng, vocab_size, hidden_size, dtype=torch.float64):
    """Rows of random numbers, and nothing else: an encoding that is a parameter keeps its values."""
    weights = {"token_embedding.weight": rng.normal(vocab_size, hidden_size, dtype=dtype)}
    module.load(weights)
    return weights


@pytest.mark.parametrize("dim, base", [(2, 10000.0), (6, 100.0), (14, 500000.0)])
def test_follows_the_formula(submission, rng, dim, base):
    """even columns are sin(m * base^(-2 i / dim)), odd ones the cosines of the same angles"""
    assert_close(submission.sinusoidal_encoding(11, dim, base), encoding(11, dim, base), absolute=NEAR)
    for usual in (32, 128, 512, 2 * rng.option(3, 1, 300)) if is_second_round() else ():
        sizes = rng.option(11, 1, 60), usual, rng.option(base, 2.0, 1e7)
        assert_close(submission.sinusoidal_encoding(*sizes), encoding(*sizes), absolute=NEAR)


def test_base_defaults_to_10000(submission):
    """base is 10000 by default"""
    assert_close(submission.sinusoidal_encoding(11, 6), encoding(11, 6), absolute=NEAR)


def test_one_position(submission):
    """position 0 is 0, 1, 0, 1, …"""
    assert_close(submission.sinusoidal_encoding(1, 6), torch.tensor([[0.0, 1.0] * 3]), absolute=NEAR)


# Of the two below only whether they are right is recorded: rounding tells tables with the same mistake apart.
def test_positions_below_128(submission):
    """positions below 128 are right to 1e-5"""
    wrong = difference(submission.sinusoidal_encoding(128, 64), encoding(128, 64), absolute=NEAR)
    assert_true(wrong is None, f"{wrong}")


@pytest.mark.parametrize("seq_len, dim", [(5000, 2), (4999, 10)])
def test_positions_below_5000(submission, rng, seq_len, dim):
    """positions below 5000 are right to 1e-3"""
    others = [(rng.option(seq_len, 129, 2000), 2 * rng.option(5, 1, 60)) for _ in range(2)]
    for sizes in ((seq_len, dim), *(others if is_second_round() else ())):
        wrong = difference(submission.sinusoidal_encoding(*sizes), encoding(*sizes), absolute=FAR)
        assert_true(wrong is None, f"{wrong}")


def test_default_dtype(submission, rng):
    """the encoding has the default dtype: float64 after torch.set_default_dtype(torch.float64)"""
    # A size of this check's own: what an answer remembers shows here, and in no check that comes later.
    assert_close(submission.sinusoidal_encoding(9, 6), encoding(9, 6), absolute=NEAR)
    came = with_float64_as_default(submission, "sinusoidal_encoding", 9, 6)
    assert_close(came, encoding(9, 6).double(), absolute=NEAR)
    if is_second_round():
        sizes = rng.option(9, 1, 60), 2 * rng.option(3, 1, 300), rng.option(1e4, 2.0, 1e7)
        came = with_float64_as_default(submission, "sinusoidal_encoding", *sizes)
        assert_close(came, encoding(*sizes).double(), absolute=NEAR)


def test_default_device(submission):
    """the encoding is on the default device"""
    assert_on_default_device(submission, "sinusoidal_encoding", 3, 6)


def test_tables_are_independent(submission):
    """sizes and bases that change from call to call are right"""
    cases = [(5, 6), (7, 6, 100.0), (7, 10), (7, 6)]
    came = [submission.sinusoidal_encoding(*case) for case in cases]
    assert_close(came, [encoding(*case) for case in cases], absolute=NEAR)


def test_parameters(submission):
    """the embedding's only parameter is token_embedding.weight: the encoding is not learned"""
    module = submission.TransformerEmbedding(11, 6, 13)
    shapes = module.shapes()
    others = [name for name in shapes if name != "token_embedding.weight"]
    # The sizes are the evidence, since everybody has another name for it.
    seen = sorted(math.prod(shapes[name]) for name in others)
    assert_true(not others, f"parameters: not asked for: {', '.join(others)}", seen=seen)
    assert_parameters(module, {"token_embedding.weight": (11, 6)})


@pytest.mark.parametrize("batch, seq", [(3, 5), (2, 13), (1, 1)])
def test_embedding(submission, rng, batch, seq):
    """a token's row times sqrt(hidden_size), plus the encoding of its place, for seq up to max_len"""
    module = submission.TransformerEmbedding(11, 6, 13)
    weights = randomized(module, rng, 11, 6)
    token_ids = rng.integers(0, 11, batch, seq)
    assert_close(module(token_ids), embedded(weights, token_ids), absolute=NEAR)
    for dtype in (torch.float64, torch.float32) if is_second_round() else ():
        words, size, most = rng.option(11, 1, 300), 2 * rng.option(3, 1, 60), rng.option(13, 1, 100)
        module = submission.TransformerEmbedding(words, size, most).to(dtype)
        weights = randomized(module, rng, words, size, dtype)
        token_ids = rng.integers(0, words, batch, rng.option(seq, 1, min(most, 60)))
        assert_close(module(token_ids), embedded(weights, token_ids), absolute=NEAR)


def test_embedding_of_late_positions(submission, rng):
    """positions below 5000 are right to 1e-3 in the embedding, too"""
    module = submission.TransformerEmbedding(11, 2, 5000)
    weights = randomized(module, rng, 11, 2)
    token_ids = rng.integers(0, 11, 1, 5000)
    wrong = difference(module(token_ids), embedded(weights, token_ids), absolute=FAR)
    assert_true(wrong is None, f"{wrong}")


def test_gradient_of_the_rows(submission, rng):
    """the gradient of token_embedding.weight is right, also for transposed token_ids with repeats"""
    module = submission.TransformerEmbedding(5, 6, 13)
    weights = randomized(module, rng, 5, 6)
    token_ids = rng.integers(0, 5, 7, 3).T
    assert_same_gradients(module, embedded, token_ids, weights=weights, absolute=NEAR)


def test_float32_is_kept(submission, rng):
    """float32 weights give float32"""
    module = submission.TransformerEmbedding(11, 6, 13)
    weights = randomized(module, rng, 11, 6, torch.float32)
    token_ids = rng.integers(0, 11, 3, 5)
    assert_close(module(token_ids), embedded(weights, token_ids), absolute=NEAR)


def test_goes_with_the_module(submission, rng):
    """a module that has been used in one dtype and then gets the other gives results in that, too"""
    module, token_ids = submission.TransformerEmbedding(11, 6, 13), rng.integers(0, 11, 3, 5)
    for dtype in (torch.float64, torch.float32, torch.float64):
        weights = randomized(module.to(dtype), rng, 11, 6, dtype)
        assert_close(module(token_ids), embedded(weights, token_ids), absolute=NEAR)


def dtype_under_another_default(answer, token_ids):
    module = answer.TransformerEmbedding(11, 6, 13)
    torch.set_default_dtype(torch.float64)
    return module(token_ids).dtype


def test_dtype_of_the_weights(submission, rng):
    """the result has the dtype of the weights, also where the default dtype is another one"""
    came = submission.run(dtype_under_another_default, rng.integers(0, 11, 3, 5))
    assert_true(came == torch.float32, f"float32 weights give {came}", seen=str(came))


def test_device_of_the_weights(submission, rng):
    """the result is on the device of the weights, also where the default device is another one"""
    token_ids = rng.integers(0, 11, 3, 5)
    assert_keeps_device(submission, "TransformerEmbedding", token_ids, made_with=(11, 6, 13))


def test_moves_to_another_device(submission, rng):
    """module.to(device) takes the encoding along"""
    assert_moves(submission, "TransformerEmbedding", rng.integers(0, 11, 3, 5), made_with=(11, 6, 13))


def test_two_embeddings_in_turns(submission, rng):
    """two embeddings of other sizes, used in turns with other lengths, do not disturb each other"""
    sizes = [(11, 6, 13), (7, 10, 5)]
    modules = [submission.TransformerEmbedding(*each) for each in sizes]
    weights = [randomized(module, rng, *each[:2]) for module, each in zip(modules, sizes, strict=True)]
    for batch, seq in ((1, 5), (3, 2), (1, 5)):
        token_ids = rng.integers(0, 7, batch, seq)
        for module, own in zip(modules, weights, strict=True):
            assert_close(module(token_ids), embedded(own, token_ids), absolute=NEAR)


def test_weights_may_change(submission, rng):
    """in training and in evaluation a call goes by the rows and the tokens that there are then"""

    def player(module):
        draw = partial(randomized, module, rng, 11, 6)
        calls = [(rng.integers(0, 11, 3, 5),) for _ in range(4)]
        return with_weights(rng, module, embedded, calls, randomize=draw)

    first, second = (submission.TransformerEmbedding(11, 6, 13) for _ in range(2))
    assert_by_turns(player(first.train()), player(second.eval()), tolerance=NEAR)


def test_same_in_evaluation(submission, rng):
    """training and evaluation give the same"""
    module = submission.TransformerEmbedding(11, 6, 13)
    weights = randomized(module, rng, 11, 6)
    token_ids = rng.integers(0, 11, 3, 5)
    assert_close(module.train()(token_ids), embedded(weights, token_ids), absolute=NEAR)
    assert_close(module.eval()(token_ids), embedded(weights, token_ids), absolute=NEAR)


def test_token_ids_are_not_modified(submission, rng):
    """token_ids are not modified"""
    module = submission.TransformerEmbedding(11, 6, 13)
    assert_inputs_unchanged(module, rng.integers(0, 11, 3, 5))
