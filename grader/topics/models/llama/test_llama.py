"""Checks of `Llama`: parameters, values, gradients, base and eps, positions, groups, what raises."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_close,
    assert_inputs_unchanged,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.families.attention.rotary import full
from grader.kit.families.models.built_in import randomize_but
from grader.kit.families.models.large_scores import raise_scores, told_apart
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill

pytestmark = pytest.mark.forbid("transformer_layers", "multi_head_attention")

SIZES = (13, 24, 2, 6, 2, 11)
"""Words, features, layers, heads, key/value heads, features of the network."""
TOLERANCE = 1e-5
"""Tables in float32 will do."""


def workload(submission, rng):
    model = submission.Llama(1000, 64, 2, 4, 2, 128)
    model.randomize(rng, torch.float32)
    return model.measure(rng.integers(0, 1000, 2, 64))


LADDER = [(1,), (2,), (3,)]


def smallest(submission, rng, seq):
    """small whole numbers give what the built-ins give"""
    model = submission.Llama(2, 2, 1, 1, 1, 1, base=1.0, eps=1.0)
    weights, token_ids = fill(rng, model), rng.integers(0, 2, 1, seq)
    expected = built_in(weights, token_ids, num_layers=1, num_heads=1, base=1.0, eps=1.0)
    assert_close(model(token_ids), expected, tolerance=TOLERANCE)


def built_in(weights, token_ids, *, num_layers=2, num_heads=6, base=10000.0, eps=1e-5):
    """F.rms_norm, pairs turned as complex numbers, F.scaled_dot_product_attention with enable_gqa."""
    x = F.embedding(token_ids, weights["token_embedding.weight"])
    size = (x.shape[-1],)
    for i in range(num_layers):
        names = [f"{name}_proj" for name in ("q", "k", "v", "o", "gate", "up", "down")] + ["norm1", "norm2"]
        own = {f"{name}.weight": weights[f"layers.{i}.{name}.weight"] for name in names}
        x = x + full(own, F.rms_norm(x, size, own["norm1.weight"], eps), base, size[0] // num_heads)
        normed = F.rms_norm(x, size, own["norm2.weight"], eps)
        gate, up = (F.linear(normed, own[f"{name}_proj.weight"]) for name in ("gate", "up"))
        x = x + F.linear(F.silu(gate) * up, own["down_proj.weight"])
    return F.linear(F.rms_norm(x, size, weights["norm.weight"], eps), weights["lm_head.weight"])


def ids(rng, batch=2, seq=7):
    return rng.integers(0, 13, batch, seq)


def assert_right(submission, rng, *sizes, **options):
    """A model of these sizes (SIZES by default) is right."""
    sizes = sizes or SIZES
    model = submission.Llama(*sizes, **options)
    weights, token_ids = model.randomize(rng), ids(rng)
    expected = built_in(weights, token_ids, num_layers=sizes[2], num_heads=sizes[3], **options)
    assert_close(model(token_ids), expected, tolerance=TOLERANCE)


@pytest.mark.parametrize("num_layers, num_kv_heads", [(1, 3), (3, 1)])
def test_parameters(submission, num_layers, num_kv_heads):
    """the parameters are those of embedding, layers, norm and lm_head, none of them a bias"""
    expected = {f"{name}.weight": (13, 12) for name in ("token_embedding", "lm_head")} | {
        "norm.weight": (12,)
    }
    for i in range(num_layers):
        shapes = dict.fromkeys(("norm1", "norm2"), (12,)) | dict.fromkeys(("q_proj", "o_proj"), (12, 12))
        shapes |= dict.fromkeys(("k_proj", "v_proj"), (4 * num_kv_heads, 12))
        shapes |= dict.fromkeys(("gate_proj", "up_proj"), (11, 12)) | {"down_proj": (12, 11)}
        expected |= {f"layers.{i}.{name}.weight": shape for name, shape in shapes.items()}
    assert_parameters(submission.Llama(13, 12, num_layers, 3, num_kv_heads, 11), expected)


def test_equals_the_built_ins(submission, rng):
    """equals F.rms_norm, turned complex numbers and F.scaled_dot_product_attention with enable_gqa"""
    assert_right(submission, rng)


def assert_right_alone(submission, rng, *silent):
    """The model is right where the layers of these names give zeros."""
    model = submission.Llama(*SIZES)
    weights, token_ids = randomize_but(model, rng, *silent), ids(rng)
    assert_close(model(token_ids), built_in(weights, token_ids), tolerance=TOLERANCE)


def test_embedding_and_logits_alone(submission, rng):
    """embedding, last norm and lm_head are right where the layers add nothing"""
    assert_right_alone(submission, rng, "o_proj", "down_proj")


def test_attention_alone(submission, rng):
    """the attention is right where the feed-forward networks add nothing"""
    assert_right_alone(submission, rng, "down_proj")


def test_feed_forward_network_alone(submission, rng):
    """the feed-forward networks are right where the attention adds nothing"""
    assert_right_alone(submission, rng, "o_proj")


@pytest.mark.parametrize(
    "hidden_size, num_layers, num_heads, num_kv_heads, width",
    [(24, 1, 6, 6, 11), (24, 3, 6, 1, 139), (22, 1, 1, 1, 5), (8, 2, 4, 2, 8)],
)
def test_other_sizes(submission, rng, hidden_size, num_layers, num_heads, num_kv_heads, width):
    """as many key/value heads as heads, a single one, one head, and heads of two features are right"""
    assert_right(submission, rng, 13, hidden_size, num_layers, num_heads, num_kv_heads, width)
    if is_second_round():
        kv_heads, group, half = (rng.option(2, 1, most) for most in (4, 3, 8))
        heads, width, words = kv_heads * group, rng.option(width, 1, 150), rng.option(13, 13, 1000)
        assert_right(submission, rng, words, 2 * half * heads, rng.option(1, 1, 3), heads, kv_heads, width)


def test_many_layers(submission, rng):
    """however many layers there are, each has its part"""
    assert_right(submission, rng, 13, 8, int(rng.integers(5, 10, 1)), 4, 2, 5)


@pytest.mark.parametrize("base", [100.0, 5e5])
def test_base(submission, rng, base):
    """base decides the frequencies: pair i turns by base^(-2 i / head_dim) for each position"""
    assert_right(submission, rng)  # so that tables kept for all models show, whatever check was before
    assert_right(submission, rng, base=base)
    for usual in (1e3, 5e4, 1e6, rng.option(base, 2.0, 1e7)) if is_second_round() else ():
        assert_right(submission, rng, base=usual)


def test_order_of_the_arguments(submission, rng):
    """base and eps come last, in this order, and gradients are right with them"""
    assert_right(submission, rng)  # as in test_base
    base, eps = rng.option(7.0, 2.0, 1e7), rng.option(0.3, 1e-8, 1.0)
    model = submission.Llama(*SIZES, base, eps)
    weights, options = model.randomize(rng), {"tolerance": TOLERANCE, "alone": False}
    oracle = partial(built_in, base=base, eps=eps)
    assert_same_gradients(model, oracle, ids(rng), weights=weights, **options)


@pytest.mark.parametrize("eps", [1e-5, 0.3])
@pytest.mark.parametrize("norm", ["norm1", "norm2", "norm"])
def test_eps_of_each_norm(submission, rng, norm, eps):
    """each norm adds the eps that was asked for, 1e-5 by default, which shows where its input is small"""
    assert_eps(submission, rng, norm, eps, 3e-3 if eps == 1e-5 else 1.0)
    for other in (1e-6, rng.option(eps, 1e-8, 0.1)) if is_second_round() else ():
        assert_eps(submission, rng, norm, other, other**0.5)


def assert_eps(submission, rng, norm, eps, size):
    """The norm is right for words of about this size."""
    model = submission.Llama(*SIZES, **({} if eps == 1e-5 else {"eps": eps}))
    weights, token_ids = model.randomize(rng), ids(rng)
    weights["token_embedding.weight"] *= size
    # What is added before this norm is no larger.
    silent = {"norm1": [], "norm2": ["o_proj"], "norm": ["o_proj", "down_proj"]}[norm]
    weights |= {n: v * 0 for n, v in weights.items() if any(f".{layer}." in n for layer in silent)}
    model.load(weights)
    assert_close(model(token_ids), built_in(weights, token_ids, eps=eps), tolerance=TOLERANCE)


def test_gradients(submission, rng):
    """the gradients of all parameters equal the built-ins'"""
    model = submission.Llama(*SIZES)
    weights, token_ids = model.randomize(rng), ids(rng)
    token_ids[0, 0], token_ids[1, 0] = 0, 12  # the first word and the last are words like others
    assert_same_gradients(model, built_in, token_ids, weights=weights, tolerance=TOLERANCE)


def test_gradients_of_many_tokens(submission, rng):
    """gradients of more than a hundred tokens are right, and a backward pass changes nothing others need"""
    model, token_ids = submission.Llama(*SIZES), ids(rng, 1, 139)
    weights = model.randomize(rng)
    assert_backward_leaves_all(model, built_in, token_ids, weights=weights, tolerance=TOLERANCE)


def test_lengths(submission, rng):
    """a single token, a batch of one, ids not contiguous, and more than a hundred tokens are right"""
    model = submission.Llama(*SIZES)
    weights = model.randomize(rng)
    each = [ids(rng, 139, 1), ids(rng, 1, 5), ids(rng, 5, 3).T, ids(rng, 1, 139)]
    assert_close([model(one) for one in each], [built_in(weights, one) for one in each], tolerance=TOLERANCE)


def test_hundreds_of_tokens(submission, rng):
    """512 tokens are right"""
    # With two features in a head all turn by whole numbers, which float32 has all.
    model = submission.Llama(13, 4, 1, 2, 1, 3)
    weights, token_ids = model.randomize(rng, torch.float32), ids(rng, 1, 512)
    # Scores of some size, so that a few tokens at the end count.
    weights |= {
        f"layers.0.{name}_proj.weight": rng.normal(size, 4).float() for name, size in (("q", 4), ("k", 2))
    }
    model.load(weights)
    expected = built_in(weights, token_ids, num_layers=1, num_heads=2)
    assert_close(model(token_ids), expected, tolerance=1e-3)


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give right values and gradients, and later tokens no weight with them either"""
    options = {"base": 1e8}  # so large that the second pair of a head hardly turns
    model, token_ids = submission.Llama(13, 24, 1, 6, 2, 11, **options), ids(rng) % 12
    weights = model.randomize(rng)
    raise_scores(weights, "layers.0.", head_dim=4, norm="layers.0.norm1", feature=1)
    weights["token_embedding.weight"][:], token_ids[:, -1] = told_apart(rng, 1, 13, 24)[0], 12
    model.load(weights)

    def oracle(weights, token_ids):
        return built_in(weights, token_ids, num_layers=1, **options)

    # The tolerance lets tables and a softmax in float32 pass, whose rounding such scores magnify.
    assert_same_gradients(model, oracle, token_ids, weights=weights, tolerance=1e-3)
    if is_second_round():  # in wide heads, of which each second one scores the other way round
        model = submission.Llama(13, 384, 1, 6, 2, 11, **options)
        weights = model.randomize(rng)
        raise_scores(weights, "layers.0.", head_dim=64, norm="layers.0.norm1", feature=31)
        weights["layers.0.q_proj.weight"].unflatten(0, (6, 64))[1::2, 31] *= -1
        weights["token_embedding.weight"][:] = told_apart(rng, 1, 13, 384)[0]
        model.load(weights)
        assert_close(model(token_ids), oracle(weights, token_ids), tolerance=1e-3)


def test_float32_is_kept(submission, rng):
    """float32 parameters give float32, with another base and eps too"""
    for options in ({}, {"base": rng.option(100.0, 2.0, 1e7), "eps": rng.option(0.1, 1e-6, 1.0)}):
        model = submission.Llama(*SIZES, **options)
        weights, token_ids = model.randomize(rng, torch.float32), ids(rng)
        assert_close(model(token_ids), built_in(weights, token_ids, **options))
    if is_second_round():  # after float64, of the same length
        model = submission.Llama(*SIZES)
        for dtype, tolerance in ((torch.float64, TOLERANCE), (torch.float32, None)):
            weights = model.randomize(rng, dtype)
            assert_close(model(token_ids), built_in(weights, token_ids), tolerance=tolerance)


def test_training_and_evaluation(submission, rng):
    """in training it gives what it gives in evaluation: nothing is dropped"""
    model = submission.Llama(*SIZES)
    weights, token_ids = model.randomize(rng), ids(rng)
    expected = [built_in(weights, token_ids)] * 2
    assert_close([model.train()(token_ids), model.eval()(token_ids)], expected, tolerance=TOLERANCE)


def test_models_are_independent(submission, rng):
    """two models of other sizes, base and eps, used by turns, give what each alone gives"""
    base, eps = rng.option(50.0, 2.0, 1e7), rng.option(0.1, 1e-6, 1.0)
    first, second = submission.Llama(*SIZES), submission.Llama(13, 8, 1, 2, 1, 5, base, eps)

    def of_second(weights, token_ids):
        return built_in(weights, token_ids, num_layers=1, num_heads=2, base=base, eps=eps)

    calls = [[(ids(rng),), (ids(rng, 3, 4),), (ids(rng),), (ids(rng, 1, 9),)] for _ in range(2)]
    turns = with_weights(rng, first, built_in, calls[0])
    assert_by_turns(turns, with_weights(rng, second, of_second, calls[1]), tolerance=TOLERANCE)


@pytest.mark.parametrize(
    "hidden_size, num_heads, num_kv_heads",
    [(24, 5, 5), (3, 6, 6), (24, 10, 2), (24, 6, 4), (24, 6, 12), (15, 3, 3), (6, 6, 2)],
)
def test_bad_sizes_raise(submission, hidden_size, num_heads, num_kv_heads):
    """num_heads that do not divide hidden_size, or are no multiple of num_kv_heads, and odd heads raise"""
    assert_raises(submission.Llama, 13, hidden_size, 2, num_heads, num_kv_heads, 11)


def test_device_of_the_tokens(submission, rng):
    """nothing lands on the default device where that is not the tokens'"""
    assert_keeps_device(submission, "Llama", ids(rng), made_with=SIZES)


def test_tokens_are_not_modified(submission, rng):
    """token_ids is not modified"""
    assert_inputs_unchanged(submission.Llama(*SIZES), ids(rng))
