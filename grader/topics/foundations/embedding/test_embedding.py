"""Checks of `embedding`: how it starts, its rows, the padding's row and gradient, and the backward pass."""

import pytest
import torch
from torch.nn import functional

from grader.kit import (
    assert_accepts,
    assert_arguments_unchanged,
    assert_close,
    assert_equal,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
    assert_true,
)
from grader.kit.comparison import difference
from grader.kit.families.leading_dimensions import of_many_dimensions
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_moves
from grader.kit.rules.draws import assert_drawn, assert_uncorrelated, normal
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("embedding")

SHAPES = [(11,), (5, 5), (2, 3, 5), (1, 3, 1), (), (0,)]
shapes = pytest.mark.parametrize(
    "shape, dtype",
    [*((shape, torch.int64) for shape in SHAPES), *((shape, torch.int32) for shape in [(3, 4), (), (2, 0)])],
)
paddings = pytest.mark.parametrize("padding_idx", [2, 0, -1, -7])


def workload(submission, rng):
    layer = submission.Embedding(512, 64, 0)
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.integers(0, 512, 16, 32))


LADDER = [(2, 1, 2, None), (3, 2, 3, None), (3, 2, 3, 0), (3, 2, 4, -1)]


def smallest(submission, rng, num_embeddings, embedding_dim, count, padding_idx):
    """small whole numbers give what the built-in gives, forwards and backwards"""
    layer = submission.Embedding(num_embeddings, embedding_dim, padding_idx)
    weights, token_ids = fill(rng, layer), rng.integers(0, num_embeddings, count)
    upstream = whole(rng, count, embedding_dim, most=5)
    assert_same_gradients(layer, built_in(padding_idx), token_ids, weights=weights)
    came = submission.embedding_backward(upstream, token_ids, num_embeddings, padding_idx)
    assert_close(came, by_autograd(upstream, token_ids, num_embeddings, padding_idx))


def built_in(padding_idx=None):
    """The built-in as a function of weights and ids."""
    return lambda weights, token_ids: functional.embedding(token_ids, weights["weight"], padding_idx)


def by_autograd(upstream, token_ids, num_embeddings, padding_idx=None):
    """The gradient of the weight as autograd of the built-in gives it."""
    weight = upstream.new_zeros(num_embeddings, upstream.shape[-1], requires_grad=True)
    scalar = (functional.embedding(token_ids, weight, padding_idx) * upstream).sum()
    return torch.autograd.grad(scalar, weight)[0]


def test_parameters(submission):
    """its parameter is weight, (num_embeddings, embedding_dim), in float32"""
    layer = submission.Embedding(7, 5, padding_idx=2)
    assert_parameters(layer, {"weight": (7, 5)})
    assert_equal(str(layer.parameters()["weight"].dtype), "torch.float32")


def started(answer, *padding_idx):
    """The weights of two embeddings."""
    return [answer.Embedding(131, 97, *padding_idx).weight.detach() for _ in range(2)]


def test_start(submission):
    """the weight is drawn from the standard normal distribution, anew for each module"""
    weight, again = submission.run(started)
    assert_drawn(weight, normal(1.0), again=again, what="weight")


def pairs(answer, count):
    """The numbers of tables that have two, in a row or in a column."""
    import torch

    tables = [answer.Embedding(*((1, 2) if number % 2 else (2, 1))).weight for number in range(count)]
    return torch.stack([table.detach().reshape(2) for table in tables])


def test_start_of_small_tables(submission):
    """of a table with two numbers one says nothing of the other: each is drawn by itself"""
    drawn = submission.run(pairs, 1009)
    facts = {"the signs": drawn > 0, "the sizes": drawn.abs() > 0.6745}  # each true of one half
    signed = {name: 2.0 * fact - 1 for name, fact in facts.items()}
    assert_uncorrelated({f"of {name}": each.prod(dim=1).mean() for name, each in signed.items()}, 1009)


@pytest.mark.parametrize("padding_idx", [0, 2, 130, -1, -131])
def test_start_of_the_padding(submission, padding_idx):
    """the padding's row starts at zero, the others are drawn"""
    weight, _ = assert_accepts(lambda row: submission.run(started, row), padding_idx)
    assert_equal(weight[padding_idx], torch.zeros(97), what="row of the padding")
    others = [row for row in range(131) if row != padding_idx % 131]
    assert_drawn(weight[others], normal(1.0), what="other rows")


@shapes
def test_equals_the_built_in(submission, rng, shape, dtype):
    """it equals F.embedding for int32 and int64 ids of any shape, and so do its gradients"""
    layer, shape = submission.Embedding(7, 5), of_many_dimensions(rng, shape)
    weights, token_ids = layer.randomize(rng), rng.integers(0, 7, *shape).to(dtype)
    assert_same_gradients(layer, built_in(), token_ids, weights=weights)


@paddings
def test_padding(submission, rng, padding_idx):
    """the padding's row is given as it is, whatever stands in it, and gets no gradient"""
    layer = assert_accepts(submission.Embedding, 7, 5, padding_idx)
    weights, token_ids = layer.randomize(rng), rng.integers(0, 7, 5, 5)
    token_ids[1, 2:4] = padding_idx % 7
    for ids in [token_ids, token_ids.int()] if is_second_round() else [token_ids]:
        assert_same_gradients(layer, built_in(padding_idx), ids, weights=weights)
    if is_second_round():
        came = layer.gradients([rng.normal(5, 5, 5)], token_ids, frozen=True)
        expected = built_in(padding_idx)(weights, token_ids)
        assert_close(came.value, expected, what="with a frozen weight, result")


@pytest.mark.parametrize("shape", [(), (0,), (3,)])
def test_nothing_but_padding(submission, rng, shape):
    """ids of any shape that are all padding give its row, and no gradient"""
    layer = submission.Embedding(7, 5, 4)
    weights, token_ids = layer.randomize(rng), torch.full(shape, 4)
    assert_same_gradients(layer, built_in(4), token_ids, weights=weights)


@pytest.mark.parametrize("padding_idx", [7, 11, -8, -15])
def test_padding_outside(submission, padding_idx):
    """a padding_idx that is no row raises ValueError"""
    assert_raises(submission.Embedding, 7, 5, padding_idx)


@shapes
def test_backward(submission, rng, shape, dtype):
    """embedding_backward gives the weight's gradient: rows of repeated ids add up, the others are zeros"""
    shape = of_many_dimensions(rng, shape)
    upstream, token_ids = rng.normal(*shape, 5), rng.integers(0, 7, *shape).to(dtype)
    assert_close(submission.embedding_backward(upstream, token_ids, 7), by_autograd(upstream, token_ids, 7))


@paddings
def test_backward_of_the_padding(submission, rng, padding_idx):
    """in embedding_backward the padding's row is zeros"""
    upstream, token_ids = rng.normal(3, 4, 5), rng.integers(0, 7, 3, 4)
    token_ids[1, 2:4] = padding_idx % 7
    for ids in [token_ids, token_ids.int()] if is_second_round() else [token_ids]:
        given = upstream, ids, 7, padding_idx
        assert_close(submission.embedding_backward(*given), by_autograd(*given))


@pytest.mark.parametrize("sizes", [(1, 5), (7, 1), (40, 3), (40_001, 2)])
def test_other_sizes(submission, rng, sizes):
    """one row, one column, rows that no id asks for, and a large vocabulary are right"""
    layer = submission.Embedding(*sizes)
    weights, token_ids = layer.randomize(rng), rng.integers(0, sizes[0], 3, 4)
    assert_same_gradients(layer, built_in(), token_ids, weights=weights)
    given = rng.normal(3, 4, sizes[1]), token_ids, sizes[0]
    assert_close(submission.embedding_backward(*given), by_autograd(*given))


def test_float32_is_kept(submission, rng):
    """float32 is kept, in value, gradients and embedding_backward"""
    layer = submission.Embedding(7, 5, 2)
    weights, token_ids = layer.randomize(rng, torch.float32), rng.integers(0, 7, 3, 4)
    assert_same_gradients(layer, built_in(2), token_ids, weights=weights)
    given = rng.normal(3, 4, 5, dtype=torch.float32), token_ids, 7, 2
    assert_close(submission.embedding_backward(*given), by_autograd(*given))


def test_small_gradients_beside_large_ones(submission, rng):
    """where one id has gradients of a million, those of the others are right to as many digits as alone"""
    layer, token_ids = submission.Embedding(7, 5), torch.tensor([3, 6, 0, 3, 5, 1, 6])
    layer.randomize(rng, torch.float32)
    upstream = rng.normal(7, 5, dtype=torch.float32)
    upstream[token_ids == 3] *= 1e6
    expected = [*by_autograd(upstream, token_ids, 7)]
    came = {
        "the module": layer.gradients([upstream], token_ids).parameters["weight"],
        "embedding_backward": submission.embedding_backward(upstream, token_ids, 7),
    }
    # Only where it is wrong is recorded: what is lost in rounding is each answer's own.
    wrong = [name for name, each in came.items() if difference([*each], expected) is not None]
    message = (
        f"in {' and in '.join(wrong)} the gradients of other ids are lost beside large ones: each is the sum "
        "of its own rows, not a difference of sums over all"
    )
    assert_true(not wrong, message, seen=wrong)


def test_other_layouts(submission, rng):
    """ids and gradients that are not contiguous are right"""
    layer = submission.Embedding(13, 5, 2)
    # None is repeated: in which order they are met is each answer's own.
    weights, token_ids = layer.randomize(rng), rng.permutation(13)[:12].reshape(4, 3).T
    assert_close(layer(token_ids), built_in(2)(weights, token_ids))
    given = rng.normal(5, 4, 3).permute(2, 1, 0), token_ids, 13, 2
    assert_close(submission.embedding_backward(*given), by_autograd(*given))


def test_embeddings_keep_apart(submission, rng):
    """embeddings with other sizes and paddings, used by turns, give what each alone gives"""
    first, second, third = (
        submission.Embedding(7, 5, 2),
        submission.Embedding(4, 3),
        submission.Embedding(7, 5, 3),
    )
    of_first, of_second = ([(rng.integers(0, rows, 3, 4),) for _ in range(2)] for rows in (7, 4))
    assert_by_turns(
        with_weights(rng, first.train(), built_in(), of_first),
        with_weights(rng, second.eval(), built_in(), of_second),
    )
    token_ids = torch.tensor([0, 2, 2, 3])
    for layer, padding_idx in ((first, 2), (second, None), (third, 3)):
        weights = layer.randomize(rng)
        assert_same_gradients(layer, built_in(padding_idx), token_ids, weights=weights)


def test_calls_of_backward_keep_apart(submission, rng):
    """embedding_backward gives each call its own gradient, and adds nothing to that of the last one"""
    calls = [(rng.normal(6, 5), rng.integers(0, 7, 6), 7, padding_idx) for padding_idx in (2, None, -1)]
    for given in (*calls, calls[0]):
        assert_close(submission.embedding_backward(*given), by_autograd(*given))


def test_device(submission, rng):
    """nothing is made on the default device where the arguments are on another one"""
    token_ids, upstream = rng.integers(0, 7, 3, 4), rng.normal(3, 4, 5, dtype=torch.float32)
    for padding_idx in (None, 2):
        assert_keeps_device(submission, "Embedding", token_ids, made_with=(7, 5, padding_idx))
        assert_keeps_device(submission, "embedding_backward", upstream, token_ids, 7, padding_idx)
    assert_moves(submission, "Embedding", token_ids, made_with=(7, 5, 2))


def test_arguments_are_not_modified(submission, rng):
    """ids, gradients and the weight are not modified"""
    token_ids, layer = rng.integers(0, 7, 3, 4), submission.Embedding(7, 5, -2)
    weights = layer.randomize(rng)
    assert_arguments_unchanged(layer, token_ids)
    assert_close(layer.parameters(), dict(weights))
    dtype = torch.float32 if is_second_round() else torch.float64
    for padding_idx in (-2, None):
        gradient = rng.normal(3, 4, 5, dtype=dtype)
        assert_arguments_unchanged(submission.embedding_backward, gradient, token_ids, 7, padding_idx)
