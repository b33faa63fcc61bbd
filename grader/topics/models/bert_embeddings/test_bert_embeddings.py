"""Checks of `BertEmbeddings`: the three tables, padding, past length, the norm, dropout, gradients."""

from functools import partial

import pytest
import torch

from grader.kit import (
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_same_gradients,
    assert_true,
)
from grader.kit.comparison import difference
from grader.kit.families.models.built_in import bert_embeddings
from grader.kit.families.models.default_devices import assert_calls_keep_device
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill

SIZES = (13, 7, 11, 3)
"""Words, features, positions, token types."""


def workload(submission, rng):
    embeddings = submission.BertEmbeddings(1000, 64, 128, 2)
    embeddings.randomize(rng, torch.float32)
    return embeddings.measure(rng.integers(0, 1000, 2, 128))


LADDER = [(1, 0), (1, 1), (2, 0), (2, 1)]


def smallest(submission, rng, seq, past_length):
    """small whole numbers in the tables give the norm of their sum"""
    embeddings = submission.BertEmbeddings(4, 2, 3, 2, eps=1.0)
    weights, input_ids = fill(rng, embeddings), rng.integers(1, 4, 1, seq)
    types = rng.integers(0, 2, 1, seq)
    came = embeddings(input_ids, types, past_length)
    assert_close(came, bert_embeddings(weights, input_ids, types, past_length, eps=1.0))


def ids(rng, batch=2, seq=5):
    """Tokens with 0 and the last word among them, and types."""
    input_ids = rng.integers(0, 13, batch, seq)
    input_ids[0, 0], input_ids[-1, -1] = 12, 0
    return input_ids, rng.integers(0, 3, batch, seq)


def test_parameters(submission):
    """the parameters are the three tables and the norm's weight and bias, no others"""
    expected = {
        "word_embeddings.weight": (13, 7),
        "position_embeddings.weight": (11, 7),
        "token_type_embeddings.weight": (3, 7),
        "norm.weight": (7,),
        "norm.bias": (7,),
    }
    assert_parameters(submission.BertEmbeddings(*SIZES), expected)


def test_equals_the_sum_of_the_tables(submission, rng):
    """equals F.layer_norm of the sum of three F.embedding"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights, (input_ids, types) = embeddings.randomize(rng), ids(rng)
    assert_close(embeddings(input_ids, types), bert_embeddings(weights, input_ids, types))


def test_token_types_are_zero_by_default(submission, rng):
    """without token_type_ids the vector of type 0 is added"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights, (input_ids, _) = embeddings.randomize(rng), ids(rng)
    assert_close(embeddings(input_ids), bert_embeddings(weights, input_ids))


@pytest.mark.parametrize("past_length", [1, 6])
def test_past_length(submission, rng, past_length):
    """positions go on from past_length, up to the last one there is"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights, (input_ids, types) = embeddings.randomize(rng), ids(rng)
    came = embeddings(input_ids, types, past_length)
    assert_close(came, bert_embeddings(weights, input_ids, types, past_length))


def test_past_length_without_types(submission, rng):
    """past_length counts also where no types are given"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights, (input_ids, _) = embeddings.randomize(rng), ids(rng)
    came = embeddings(input_ids, past_length=3)
    assert_close(came, bert_embeddings(weights, input_ids, past_length=3))


def test_all_positions(submission, rng):
    """a text that fills all positions is right"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights, (input_ids, types) = embeddings.randomize(rng), ids(rng, seq=11)
    assert_close(embeddings(input_ids, types), bert_embeddings(weights, input_ids, types))


@pytest.mark.parametrize("pad_id", [None, 4, 12])
def test_padding_row_starts_at_zero(submission, pad_id):
    """the row of pad_id (0 by default) is zero at first"""
    embeddings = submission.BertEmbeddings(*SIZES, **({} if pad_id is None else {"pad_id": pad_id}))
    row = embeddings.parameters()["word_embeddings.weight"][pad_id or 0]
    # Whether it is zero is recorded, not what chance has put there.
    wrong = difference(row, torch.zeros(7))
    assert_true(wrong is None, f"the row of padding: {wrong}")


@pytest.mark.parametrize("pad_id", [0, 4])
def test_padding_is_read_as_it_is(submission, rng, pad_id):
    """padding gets what stands in its row, and its position and type: it is no zero vector"""
    embeddings = submission.BertEmbeddings(*SIZES, pad_id)
    weights, (input_ids, types) = embeddings.randomize(rng), ids(rng)
    input_ids[:, 2:4] = pad_id
    assert_close(embeddings(input_ids, types), bert_embeddings(weights, input_ids, types))


@pytest.mark.parametrize("pad_id, typed, past_length", [(0, True, 0), (4, True, 0), (4, False, 3)])
def test_gradients(submission, rng, pad_id, typed, past_length):
    """the gradients of all tables and of the norm are right; the row of padding has none"""
    embeddings = submission.BertEmbeddings(*SIZES, pad_id)
    weights, (input_ids, types) = embeddings.randomize(rng), ids(rng)
    input_ids[:, 2:4], types[0, :3] = pad_id, torch.arange(3)
    given = (types if typed else None, past_length) if past_length else (types,)

    def oracle(weights, input_ids, *given):
        return bert_embeddings(weights, input_ids, *given, pad_id=pad_id)

    assert_same_gradients(embeddings, oracle, input_ids, *given, weights=weights)


@pytest.mark.parametrize("eps", [0.3, 1e-5])
def test_eps(submission, rng, eps):
    """the norm adds the eps that was asked for"""
    embeddings = submission.BertEmbeddings(*SIZES, 0, eps)
    weights, (input_ids, types) = small(embeddings.randomize(rng)), ids(rng)
    embeddings.load(weights)
    oracle = partial(bert_embeddings, eps=eps)
    assert_same_gradients(embeddings, oracle, input_ids, types, weights=weights, alone=False)


def test_default_eps(submission, rng):
    """by default the norm adds 1e-12, which shows where the sums are small"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights, (input_ids, types) = small(embeddings.randomize(rng), 1e-5), ids(rng)
    embeddings.load(weights)
    assert_close(embeddings(input_ids, types), bert_embeddings(weights, input_ids, types))


def small(weights, factor=0.01):
    """The weights, their tables made smaller."""
    weights |= {name: value * factor for name, value in weights.items() if "embeddings" in name}
    return weights


def test_float32_is_kept(submission, rng):
    """float32 parameters give float32, with types, with a past_length, and with neither"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights, (input_ids, types) = embeddings.randomize(rng, dtype=torch.float32), ids(rng)
    calls = [(input_ids, types), (input_ids,), (input_ids, types, 3)]
    assert_close([embeddings(*call) for call in calls], [bert_embeddings(weights, *call) for call in calls])


def test_calls_are_independent(submission, rng):
    """a call does not depend on the sizes, types and past length of the calls before it"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights = embeddings.randomize(rng)
    calls = [(*ids(rng), 2), ids(rng), (ids(rng)[0],), ids(rng, 3, 9), (ids(rng)[0], None, 6)]
    expected = [bert_embeddings(weights, *call) for call in calls]
    assert_close([embeddings(*call) for call in calls], expected)


def test_modules_are_independent(submission, rng):
    """two modules of different sizes, used in turns, do not touch each other"""
    first, second = submission.BertEmbeddings(*SIZES), submission.BertEmbeddings(17, 5, 6, 3, 3, 0.1)
    of_first, of_second = ([(ids(rng)[0],), ids(rng), (ids(rng)[0],), ids(rng)] for _ in range(2))
    assert_by_turns(
        with_weights(rng, first.train(), bert_embeddings, of_first),
        with_weights(rng, second.eval(), partial(bert_embeddings, eps=0.1), of_second),
    )


def test_other_layouts(submission, rng):
    """a single token, a batch of one and ids that are not contiguous are right"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights = embeddings.randomize(rng)
    pairs = [ids(rng, 1, 1), ids(rng, 1), ids(rng, 5, 1), tuple(each.T for each in ids(rng, 5, 3))]
    expected = [bert_embeddings(weights, *pair) for pair in pairs]
    assert_close([embeddings(*pair) for pair in pairs], expected)


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled, with another pad_id and eps, and a past_length"""
    embeddings = submission.BertEmbeddings(*SIZES, 4, 0.3, 0.5)
    weights, given = embeddings.randomize(rng), (*ids(rng), 2)
    expected = bert_embeddings(weights, *given, pad_id=4, eps=0.3)
    assert_nothing_dropped(embeddings, *given, expected=expected)


def test_dropout_in_training(submission, rng):
    """in training two calls differ, and gradients reach all parameters"""
    embeddings = submission.BertEmbeddings(*SIZES, dropout=0.4)
    embeddings.randomize(rng)
    assert_dropout_in_training_only(embeddings, *ids(rng, 5, 11))
    input_ids, types = ids(rng, 5, 7)
    # Without padding, on which the value depends all the same: its row has no gradient.
    assert_gradients_whatever_is_dropped(embeddings, input_ids % 12 + 1, types, 4)


def test_no_dropout_by_default(submission, rng):
    """where no dropout is asked for, nothing is dropped in training"""
    embeddings = submission.BertEmbeddings(*SIZES)
    weights, pair = embeddings.randomize(rng), ids(rng)
    assert_close(embeddings.train()(*pair), bert_embeddings(weights, *pair))


def test_device_of_the_tokens(submission, rng):
    """nothing lands on the default device where that is not the tokens'"""
    assert_keeps_device(submission, "BertEmbeddings", ids(rng)[0], made_with=SIZES)
    input_ids, types = ids(rng, seq=rng.option(24, 20, 90))
    calls, sizes = [(input_ids,), (input_ids, types), (input_ids, None, 2)], (13, 7, 99, 3, 0, 1e-12, 0.4)
    assert_calls_keep_device(submission, "BertEmbeddings", *calls, made_with=sizes)


def test_inputs_are_not_modified(submission, rng):
    """input_ids and token_type_ids are not modified"""
    embeddings = submission.BertEmbeddings(*SIZES)
    assert_inputs_unchanged(embeddings, *ids(rng))
    assert_inputs_unchanged(embeddings, ids(rng)[0], past_length=2)
