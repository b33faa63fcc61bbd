"""Checks of `GPT2`: parameters, values, gradients, initial values, dropout in each place, what raises."""

import math
from functools import partial

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_accepts,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_raises,
    assert_true,
)
from grader.kit.families.attention.checks import separated
from grader.kit.families.models import dropped, tied
from grader.kit.families.models.built_in import encoder
from grader.kit.families.models.large_scores import places, raise_scores, words
from grader.kit.families.models.parameters import layer_norms, stacked_layers
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.draws import assert_drawn, normal
from grader.kit.rules.hidden import assert_hidden_in_training
from grader.kit.rules.turns import Player, assert_by_turns, with_weights

pytestmark = pytest.mark.forbid("transformer_layers", "multi_head_attention")

SIZES = (13, 21, 2, 3, 11)
"""Words, features, layers, heads, positions."""


def workload(submission, rng):
    model = submission.GPT2(1000, 64, 2, 4, 64)
    tied.randomize(model, rng, torch.float32)
    return model.measure(rng.integers(0, 1000, 2, 64))


def built_in(weights, token_ids, *, num_layers=2, num_heads=3):
    """nn.TransformerEncoder with norm_first under a causal mask, between the two uses of the embedding."""
    weights = tied.by_usual_names(weights)
    for i in range(num_layers):
        start = f"layers.{i}."
        own = {name.removeprefix(start): value for name, value in weights.items() if name.startswith(start)}
        weights |= {start + name: value for name, value in separated(own).items()}
    words, seq = weights["token_embedding.weight"], token_ids.shape[1]
    x = F.embedding(token_ids, words) + weights["position_embedding.weight"][:seq]
    causal = torch.ones(1, 1, seq, seq).tril().bool()
    sizes = {"num_layers": num_layers, "num_heads": num_heads}
    return F.linear(encoder(weights, x, causal, activation=gelu_tanh, norm_first=True, **sizes), words)


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


def made(submission, rng, *sizes, dtype=torch.float64, **options):
    """A model with random weights, and these by their usual names."""
    model = submission.GPT2(*(sizes or SIZES), **options)
    return model, tied.randomize(model, rng, dtype)


def ids(rng, batch=2, seq=7, vocab=13):
    return rng.integers(0, vocab, batch, seq)


def parameters(words, size, num_layers, positions):
    embeddings = {"token_embedding.weight": (words, size), "position_embedding.weight": (positions, size)}
    linear = {"qkv_proj": (size, 3 * size), "o_proj": (size, size)}
    linear |= {"up_proj": (size, 4 * size), "down_proj": (4 * size, size)}
    return embeddings | layer_norms(size, "norm") | stacked_layers(num_layers, size, **linear)


@pytest.mark.parametrize("num_layers", [1, 3])
def test_parameters(submission, num_layers):
    """the parameters are those of embeddings, layers and norms; the logits have none of their own"""
    model = submission.GPT2(13, 6, num_layers, 3, 11)
    assert_parameters(model, tied.by_own_names(model, parameters(13, 6, num_layers, 11)))


def test_equals_the_built_in(submission, rng):
    """equals nn.TransformerEncoder with norm_first under a causal mask, embedding before and behind it"""
    model, weights = made(submission, rng)
    token_ids = ids(rng)
    assert_close(model(token_ids), built_in(weights, token_ids))


def assert_right_alone(submission, rng, *silent):
    """The model is right where the layers of these names give zeros."""
    model, weights = made(submission, rng)
    weights |= {n: v * 0 for n, v in weights.items() if any(f".{layer}." in n for layer in silent)}
    tied.load(model, weights)
    token_ids = ids(rng)
    assert_close(model(token_ids), built_in(weights, token_ids))


def test_embeddings_and_logits_alone(submission, rng):
    """embeddings, last norm and logits are right where the layers add nothing"""
    assert_right_alone(submission, rng, "o_proj", "down_proj")


def test_attention_alone(submission, rng):
    """the attention is right where the feed-forward networks add nothing"""
    assert_right_alone(submission, rng, "down_proj")


def test_feed_forward_network_alone(submission, rng):
    """the feed-forward networks are right where the attention adds nothing"""
    assert_right_alone(submission, rng, "o_proj")


def test_other_sizes(submission, rng):
    """one layer with one head, and several with seven, however many, are right"""
    for num_layers, num_heads in [(1, 1), (int(rng.integers(6, 14, 1)), 7)]:
        model, weights = made(submission, rng, 13, 21, num_layers, num_heads, 11)
        oracle, token_ids = partial(built_in, num_layers=num_layers, num_heads=num_heads), ids(rng)
        assert_close(model(token_ids), oracle(weights, token_ids))


def test_lengths(submission, rng):
    """a single token, as many as there are positions, a batch of one, and ids not contiguous are right"""
    model, weights = made(submission, rng)
    each = [ids(rng, 3, 1), ids(rng, 2, 11), ids(rng, 1, 7), ids(rng, 7, 3).T]
    assert_close([assert_accepts(model, one) for one in each], [built_in(weights, one) for one in each])


def test_a_thousand_tokens(submission, rng):
    """more than 1024 tokens are right, where there are as many positions"""
    model, weights = made(submission, rng, 13, 4, 1, 1, 1051, dtype=torch.float32)
    token_ids = ids(rng, 1, 1051)
    expected = built_in(weights, token_ids, num_layers=1, num_heads=1)
    assert_close(model(token_ids), expected, tolerance=1e-4)


def test_eps(submission, rng):
    """every norm adds 1e-5 to the variance, which shows where its input is small"""
    model, weights = made(submission, rng)
    small = ("_embedding.weight", "o_proj.weight", "o_proj.bias", "down_proj.weight", "down_proj.bias")
    weights |= {name: value * 0.003 for name, value in weights.items() if name.endswith(small)}
    tied.load(model, weights)
    token_ids = ids(rng)
    assert_close(model(token_ids), built_in(weights, token_ids))


def test_gradients(submission, rng):
    """the gradients of all parameters are right, in long texts too, the embedding's from both ends"""
    model, weights = made(submission, rng)
    token_ids = ids(rng)
    token_ids[0, 0], token_ids[1, 0] = 0, 12  # the first word and the last are words like others
    tied.assert_same_gradients(model, built_in, weights, token_ids)
    model, weights = made(submission, rng, 13, 6, 1, 2, 139)
    for many in (ids(rng, 3, 139), ids(rng, 137, 3)):
        tied.assert_same_gradients(model, partial(built_in, num_layers=1, num_heads=2), weights, many)


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give right values and gradients, and later tokens no weight with them either"""
    model, weights = made(submission, rng, 13, 21, 1, 3, 7)
    own = {name.removeprefix("layers.0."): value for name, value in weights.items()}
    raise_scores(separated(own), head_dim=7, norm="norm1")
    for name, value in {"token": words(rng, 13, 21), "position": places(7, 21)}.items():
        weights[f"{name}_embedding.weight"][:] = value
    tied.load(model, weights)
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    oracle = partial(built_in, num_layers=1)
    tied.assert_same_gradients(model, oracle, weights, ids(rng), tolerance=1e-3)


def test_float32_is_kept(submission, rng):
    """float32 parameters give float32"""
    (model, weights), token_ids = made(submission, rng, dtype=torch.float32), ids(rng)
    assert_close(model(token_ids), built_in(weights, token_ids))


def test_models_are_independent(submission, rng):
    """two models of other sizes, used by turns, give what each alone gives"""
    first, (second, of_second) = submission.GPT2(*SIZES), made(submission, rng, 17, 8, 1, 2, 9)

    def of_other(token_ids):
        return built_in(of_second, token_ids, num_layers=1, num_heads=2)

    calls = [[(ids(rng),) for _ in range(4)] for _ in range(2)]
    calls[0][2], calls[1][1] = (ids(rng, 3, 4),), (ids(rng, 1, 9),)
    turns = with_weights(rng, first.eval(), built_in, calls[0], randomize=partial(tied.randomize, first, rng))
    assert_by_turns(turns, Player(partial(assert_accepts, second), of_other, calls[1]))


def fresh(submission, num_layers=3):
    """The parameters of a new model with 60 features, by their usual names."""
    return tied.by_usual_names(submission.GPT2(331, 60, num_layers, 4, 67).parameters())


def test_initial_weights(submission):
    """weights of linear layers and embeddings are normal with standard deviation 0.02 at first"""
    came = fresh(submission)
    for name in ("token_embedding", "position_embedding"):
        assert_drawn(came[f"{name}.weight"], normal(0.02), what=name)
        zeros = int((came[f"{name}.weight"] == 0).all(dim=1).sum())
        assert_true(not zeros, f"{name}: {zeros} of its rows are zeros", seen=zeros)
    for name in ("qkv_proj", "up_proj"):
        assert_drawn_in_all_layers(came, name, 3, 0.02)


@pytest.mark.parametrize("num_layers", [3, 1])
def test_initial_weights_of_what_is_added(submission, num_layers):
    """those of o_proj and down_proj have the standard deviation 0.02 / sqrt(2 * num_layers)"""
    came, std = fresh(submission, num_layers), 0.02 / math.sqrt(2 * num_layers)
    for name in ("o_proj", "down_proj"):
        assert_drawn_in_all_layers(came, name, num_layers, std)


def assert_drawn_in_all_layers(came, name, num_layers, std):
    """The first layer's, the last one's and those between, each on its own."""
    names = [f"layers.{i}.{name}" for i in range(num_layers)]
    for i, one in enumerate(names):
        again = came[f"{names[i - 1]}.weight"] if i else None
        assert_drawn(came[f"{one}.weight"], normal(std), again=again, what=one)


def test_initial_biases_and_norms(submission):
    """biases are 0 at first, the weights of norms 1"""
    came = {name: value for name, value in fresh(submission).items() if value.dim() == 1}
    expected = {name: torch.full_like(value, name.endswith("weight")) for name, value in came.items()}
    assert_equal(came, expected)


# Dropout


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    (model, weights), token_ids = made(submission, rng, dropout=0.5), ids(rng)
    assert_nothing_dropped(model, token_ids, expected=built_in(weights, token_ids))


def test_no_dropout_by_default(submission, rng):
    """where no dropout is asked for, nothing is dropped in training"""
    model, weights = made(submission, rng)
    token_ids = ids(rng)
    assert_close(model.train()(token_ids), built_in(weights, token_ids))


@pytest.mark.parametrize("place", dropped.PLACES)
def test_dropout(submission, place):
    """in training entries are dropped from the embeddings' sum and from what each part adds, nowhere else"""
    model = submission.GPT2(*dropped.SIZES, dropout=0.3)
    shapes = tied.shapes_by_usual_names(model)
    tied.load(model, dropped.weights_of_one_part(shapes, dropped.PLACES[place]))
    came = assert_accepts(model.train(), dropped.silent_tokens())
    dropped.assert_entries_dropped(dropped.factors_of(came), 0.3, place)


def test_dropout_of_attention_weights(submission):
    """in training attention weights are dropped, each on its own, that of a single token too"""
    model = submission.GPT2(*dropped.SIZES, 0.2).train()
    tied.load(model, dropped.weights_of_one_part(tied.shapes_by_usual_names(model)))
    logits = torch.cat([assert_accepts(model, dropped.silent_tokens()) for _ in range(4)])
    dropped.assert_attention_weights_dropped(dropped.factors_of(logits), 0.2)
    dropped.assert_dropped_for_single_tokens(model, 0.2)


def test_training_again_after_evaluation(submission):
    """back in training after evaluation, the same is dropped as before"""
    model = submission.GPT2(*dropped.SIZES, dropout=0.2).train().eval().train()
    dropped.assert_dropped_everywhere(model, 0.2)


def test_later_tokens_in_training(submission, rng):
    """in training too later tokens get no weight, and gradients reach all, whatever is dropped"""
    model, _ = made(submission, rng, dropout=0.3)
    like, later = torch.zeros(1, 7, 13, dtype=torch.float64), torch.arange(11) > 3
    hidden = {"position_embedding.weight": later}
    assert_hidden_in_training(model, ids(rng, 1), like=like, where=~later[None, :7], hidden=hidden)
    assert_gradients_whatever_is_dropped(model, ids(rng))


@pytest.mark.parametrize("hidden_size, num_heads", [(21, 4), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.GPT2, 13, hidden_size, 2, num_heads, 11)


@pytest.mark.parametrize("seq", [12, 30])
def test_too_many_tokens_raise(submission, rng, seq):
    """more tokens than positions raise ValueError in forward"""
    assert_raises(submission.GPT2(*SIZES), ids(rng, 2, seq))


def test_device_of_the_tokens(submission, rng):
    """nothing lands on the default device where that is not the tokens'"""
    assert_keeps_device(submission, "GPT2", ids(rng), made_with=SIZES)


def test_tokens_are_not_modified(submission, rng):
    """token_ids is not modified"""
    assert_inputs_unchanged(submission.GPT2(*SIZES), ids(rng))
