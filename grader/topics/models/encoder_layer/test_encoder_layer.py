"""Checks of `EncoderLayer`: parameters, both orders of the norms, masks, dropout, gradients, what raises."""

from functools import partial

import pytest
import torch

from grader.kit import (
    assert_close,
    assert_dropout_in_training_only,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.families import masking
from grader.kit.families.attention.checks import (
    assert_large_scores_of_wide_heads,
    linear_layers,
    long_mask,
    other_layouts,
    tokens,
    with_large_scores,
)
from grader.kit.families.models.built_in import encoder_layer, randomize_but
from grader.kit.rounds import is_second_round
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.hidden import assert_hidden_in_training
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("transformer_layers", "multi_head_attention")

orders = pytest.mark.parametrize("norm_first", [False, True])


def workload(submission, rng):
    layer = submission.EncoderLayer(64, 4, 128)
    layer.randomize(rng, torch.float32)
    return layer.measure(tokens(rng, 2, 64, 64).float())


LADDER = [(1, 2, 1, 1), (2, 2, 1, 1), (2, 2, 2, 2)]


def smallest(submission, rng, seq, hidden_size, num_heads, intermediate_size):
    """small whole numbers give what the built-in layer gives"""
    layer = submission.EncoderLayer(hidden_size, num_heads, intermediate_size)
    weights, x = fill(rng, layer), whole(rng, 1, seq, hidden_size)
    assert_close(layer(x), encoder_layer(weights, x, num_heads=num_heads))


def built_in(weights, x, mask=None, **options):
    """nn.TransformerEncoderLayer with three heads."""
    return encoder_layer(weights, x, mask, num_heads=3, **options)


def test_parameters(submission):
    """the parameters are those of four projections, two layers of the network and two norms, no others"""
    square, norm = (21, 21), (21,)
    expected = linear_layers(q_proj=square, k_proj=square, v_proj=square, o_proj=square)
    expected |= linear_layers(up_proj=(21, 11), down_proj=(11, 21))
    expected |= {f"norm{i}.{name}": norm for i in (1, 2) for name in ("weight", "bias")}
    assert_parameters(submission.EncoderLayer(21, 3, 11), expected)


@pytest.mark.parametrize("activation, norm_first", [("relu", False), ("gelu", True), ("relu", True)])
def test_equals_the_built_in(submission, rng, activation, norm_first):
    """equals nn.TransformerEncoderLayer, with either activation and either order of the norms"""
    layer = submission.EncoderLayer(21, 3, 11, activation=activation, norm_first=norm_first)
    weights, x = layer.randomize(rng), tokens(rng, 2, 5, 21)
    assert_close(layer(x), built_in(weights, x, activation=activation, norm_first=norm_first))


def assert_right_alone(submission, rng, *silent, batch=2, seq=5, intermediate=11):
    """Both orders of the norms are right where the layers of these names give zeros."""
    orders = (False, True)
    layers = [submission.EncoderLayer(21, 3, intermediate, norm_first=norm_first) for norm_first in orders]
    weights = [randomize_but(layer, rng, *silent) for layer in layers]
    x = tokens(rng, batch, seq, 21)
    expected = [built_in(own, x, norm_first=bool(i)) for i, own in enumerate(weights)]
    assert_close([layer(x) for layer in layers], expected)


def test_attention_alone(submission, rng):
    """the attention is right where the feed-forward network adds nothing, to the last of 137 sequences"""
    assert_right_alone(submission, rng, "down_proj", batch=137, seq=3)


def test_feed_forward_network_alone(submission, rng):
    """the feed-forward network is right where the attention adds nothing, to the last of 139 features"""
    assert_right_alone(submission, rng, "o_proj", seq=131, intermediate=139)


@pytest.mark.parametrize("hidden_size, num_heads, intermediate_size", [(7, 1, 3), (6, 6, 13), (22, 2, 22)])
def test_other_sizes(submission, rng, hidden_size, num_heads, intermediate_size):
    """one head, heads of one feature, a network narrower or as wide as the layer are right"""
    layer = submission.EncoderLayer(hidden_size, num_heads, intermediate_size)
    weights, x = layer.randomize(rng), tokens(rng, 2, 5, hidden_size)
    assert_close(layer(x), encoder_layer(weights, x, num_heads=num_heads))


def test_defaults(submission, rng):
    """where nothing is said it is post-norm with ReLU, and drops nothing in training"""
    layer = submission.EncoderLayer(21, 3, 11)
    weights, x = layer.randomize(rng), tokens(rng, 2, 5, 21)
    assert_close(layer.train()(x), built_in(weights, x))


def test_order_of_the_arguments(submission, rng):
    """dropout, activation and norm_first come in this order"""
    layer = submission.EncoderLayer(21, 3, 11, 0.5, "gelu", True)
    weights, x = layer.randomize(rng), tokens(rng, 2, 5, 21)
    # What is dropped in evaluation too differs from answer to answer: for diagnosis it is only that it is.
    assert_nothing_dropped(layer, x, expected=built_in(weights, x, activation="gelu", norm_first=True))


def test_mask_broadcasts(submission, rng):
    """keys where the mask is False get no weight, in every shape that broadcasts"""
    layer = submission.EncoderLayer(21, 3, 11)
    weights, x = layer.randomize(rng), tokens(rng, 2, 5, 21)
    shapes = [(2, 3, 5, 5), (2, 1, 1, 5), (1, 3, 1, 5), (1, 1, 5, 5), (2, 1, 5, 1)]
    masks = {str(shape): rng.mask(*shape) for shape in shapes}
    expected = {shape: built_in(weights, x, mask) for shape, mask in masks.items()}
    assert_close({shape: layer(x, mask) for shape, mask in masks.items()}, expected)


def test_mask_with_pre_norm(submission, rng):
    """the mask counts with pre-norm too, also where one row of it is for all of 131 queries"""
    layer = submission.EncoderLayer(21, 3, 11, norm_first=True)
    weights, x, mask = layer.randomize(rng), tokens(rng, 2, 131, 21), rng.mask(2, 3, 1, 131)
    assert_close(layer(x, mask=mask), built_in(weights, x, mask, norm_first=True))


def test_mask_counts_in_all_its_parts(submission, rng):
    """a mask whose first head or sequence, or one triangle, is all True or causal counts in the rest too"""
    layer, masks = submission.EncoderLayer(21, 3, 11), masking.plain_in_part(rng.mask(2, 3, 5, 5))
    weights, x = layer.randomize(rng), tokens(rng, 2, 5, 21)
    assert_close([layer(x, mask) for mask in masks], [built_in(weights, x, mask) for mask in masks])


def test_eps(submission, rng):
    """both norms add 1e-5 to the variance, which shows where x is small"""
    layer = submission.EncoderLayer(21, 3, 11, norm_first=True)
    weights = layer.randomize(rng)
    weights |= {name: value * 0.003 for name, value in weights.items() if name.startswith("o_proj")}
    layer.load(weights)
    x = 0.003 * rng.normal(2, 5, 21)
    assert_close(layer(x), built_in(weights, x, norm_first=True))


@pytest.mark.parametrize("masked", [True, False])
@orders
def test_gradients(submission, rng, norm_first, masked):
    """the gradients of x and of every parameter equal the built-in's, with a mask and without, where there
    are few tokens or (with pre-norm) 131, more than usual blocks take and no multiple of them
    """
    layer = submission.EncoderLayer(21, 3, 11, activation="gelu", norm_first=norm_first)
    weights, x = layer.randomize(rng), tokens(rng, 2, 131 if norm_first else 5, 21)
    mask = long_mask(rng, 2, 1, 131) if norm_first else rng.mask(2, 1, 5, 5)

    def oracle(weights, x, mask=None):
        return built_in(weights, x, mask, activation="gelu", norm_first=norm_first)

    masks = {"mask": mask} if masked else {}
    assert_same_gradients(layer, oracle, x, weights=weights, alone=not norm_first, **masks)
    if norm_first and masked:
        assert_backward_leaves_all(layer, oracle, x, weights=weights, constants=masks)


@orders
def test_float32_is_kept(submission, rng, norm_first):
    """float32 is kept, with a mask, which is not contiguous"""
    layer = submission.EncoderLayer(21, 3, 11, activation="gelu", norm_first=norm_first)
    weights = layer.randomize(rng, dtype=torch.float32)
    x, mask = tokens(rng, 2, 5, 21).float(), rng.mask(2, 1, 5, 5).mT.contiguous().mT
    assert_close(layer(x, mask), built_in(weights, x, mask, activation="gelu", norm_first=norm_first))


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give right values and gradients, also at masked places, and without a mask"""
    layer = submission.EncoderLayer(21, 3, 11)
    weights, x = with_large_scores(layer.randomize(rng), tokens(rng, 2, 11, 21), head_dim=7)
    layer.load(weights)
    mask = [rng.mask(2, 3, 11, 11)] if masked else []
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_same_gradients(layer, built_in, x, *mask, weights=weights, tolerance=1e-3, alone=not masked)
    assert_large_scores_of_wide_heads(rng, submission.EncoderLayer(192, 3, 11), built_in, 192, 3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the size and the mask of the calls before it"""
    layer = submission.EncoderLayer(21, 3, 11)
    weights = layer.randomize(rng)
    calls = [(tokens(rng, 2, 5, 21), rng.mask(2, 1, 5, 5)) for _ in range(2)] + [(tokens(rng, 3, 2, 21),)]
    assert_close([layer(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_layers_are_independent(submission, rng):
    """two layers of different configuration, used in turns, do not touch each other"""
    kind = {"norm_first": True, "activation": "gelu"}
    first, second = submission.EncoderLayer(21, 3, 11, **kind), submission.EncoderLayer(21, 3, 11)
    masks = None, None, None, rng.mask(2, 1, 5, 5)
    of_first, of_second = ([(tokens(rng, 2, 5, 21), mask) for mask in masks] for _ in range(2))
    assert_by_turns(
        with_weights(rng, first.train(), partial(built_in, **kind), of_first),
        with_weights(rng, second.eval(), built_in, of_second),
    )


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    layer = submission.EncoderLayer(21, 3, 11)
    weights = layer.randomize(rng)
    xs = other_layouts(rng, 2, 5, 21)
    assert_close([layer(x) for x in xs], [built_in(weights, x) for x in xs])


@orders
def test_no_dropout_in_evaluation(submission, rng, norm_first):
    """in evaluation nothing is dropped or scaled"""
    layer = submission.EncoderLayer(21, 3, 11, dropout=0.5, norm_first=norm_first)
    weights, x, mask = layer.randomize(rng), tokens(rng, 2, 5, 21), rng.mask(2, 1, 5, 5)
    assert_nothing_dropped(layer, x, mask, expected=built_in(weights, x, mask, norm_first=norm_first))


@orders
def test_dropout_in_training(submission, rng, norm_first):
    """in training two calls differ"""
    layer = submission.EncoderLayer(21, 3, 11, dropout=0.5, norm_first=norm_first)
    layer.randomize(rng)
    assert_dropout_in_training_only(layer, tokens(rng, 5, 11, 21), mask=rng.mask(5, 1, 11, 11))


def test_gradients_under_dropout(submission, rng):
    """in training gradients reach x and every parameter, and are those of what comes, whatever is dropped"""
    norm_first = bool(rng.integers(0, 2, 1))
    layer = submission.EncoderLayer(21, 3, 11, 0.1, activation="gelu", norm_first=norm_first)
    layer.randomize(rng)
    mask = {"mask": rng.mask(2, 1, 7, 7)}
    assert_gradients_whatever_is_dropped(layer, tokens(rng, 2, 7, 21), constants=mask)


@orders
def test_mask_in_training(submission, rng, norm_first):
    """in training too keys where the mask is False get no weight, whatever is dropped"""
    layer = submission.EncoderLayer(21, 3, 11, dropout=0.3, norm_first=norm_first)
    layer.randomize(rng)
    x, seen = tokens(rng, 2, 5, 21), rng.mask(2, 5)
    assert_hidden_in_training(layer, x, like=x, where=seen, hidden={0: ~seen}, mask=seen[:, None, None])


@pytest.mark.parametrize("hidden_size, num_heads", [(21, 4), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.EncoderLayer, hidden_size, num_heads, 11)
    _ = is_second_round() and assert_raises(submission.EncoderLayer, 3, 6, 11)


@pytest.mark.parametrize("activation", ["silu", "tanh", "gelu_tanh"])
def test_unknown_activation_raises(submission, activation):
    """an activation other than relu and gelu raises ValueError in the constructor"""
    for name in (activation, "GELU", "elu", "") if is_second_round() else (activation,):
        assert_raises(submission.EncoderLayer, 21, 3, 11, activation=name)


@orders
def test_inputs_are_not_modified(submission, rng, norm_first):
    """x and mask are not modified"""
    layer = submission.EncoderLayer(21, 3, 11, norm_first=norm_first).to(torch.float64)
    masks = {} if norm_first else {"mask": rng.mask(2, 3, 5, 5)}
    assert_inputs_unchanged(layer, tokens(rng, 2, 5, 21), **masks)
