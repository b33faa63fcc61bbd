"""Checks of `DecoderLayer`: parameters, the three parts, both masks, dropout, gradients, what raises."""

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
from grader.kit.families.attention.checks import linear_layers, long_mask, tokens
from grader.kit.families.models.built_in import decoder_layer, randomize_but
from grader.kit.families.models.default_devices import assert_calls_keep_device
from grader.kit.families.models.large_scores import raise_scores, told_apart
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.hidden import assert_hidden_in_training
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("transformer_layers", "multi_head_attention")

orders = pytest.mark.parametrize("norm_first", [False, True])


def workload(submission, rng):
    layer = submission.DecoderLayer(64, 4, 128)
    layer.randomize(rng, torch.float32)
    return layer.measure(tokens(rng, 2, 32, 64).float(), tokens(rng, 2, 48, 64).float())


LADDER = [(1, 1, 2, 1, 1), (1, 2, 2, 1, 1), (2, 3, 2, 1, 1), (2, 3, 2, 2, 2)]


def smallest(submission, rng, tgt, src, hidden_size, num_heads, intermediate_size):
    """small whole numbers give what the built-in layer gives"""
    layer = submission.DecoderLayer(hidden_size, num_heads, intermediate_size)
    weights = fill(rng, layer)
    x, memory = whole(rng, 1, tgt, hidden_size), whole(rng, 1, src, hidden_size)
    assert_close(layer(x, memory), decoder_layer(weights, x, memory, num_heads=num_heads))


def built_in(weights, x, memory, mask=None, memory_mask=None, **options):
    """nn.TransformerDecoderLayer with three heads."""
    return decoder_layer(weights, x, memory, mask, memory_mask, num_heads=3, **options)


def inputs(rng, batch=2, tgt=5, src=7):
    return tokens(rng, batch, tgt, 21), tokens(rng, batch, src, 21)


def masks(rng, batch=2, tgt=5, src=7):
    return rng.mask(batch, 1, tgt, tgt), rng.mask(batch, 1, 1, src)


def test_parameters(submission):
    """the parameters are those of two attentions, two layers of the network and three norms, no others"""
    projections = [f"{name}_attn.{each}_proj" for name in ("self", "cross") for each in "qkvo"]
    expected = linear_layers(**{name: (21, 21) for name in projections}, up_proj=(21, 11), down_proj=(11, 21))
    expected |= {f"norm{i}.{name}": (21,) for i in (1, 2, 3) for name in ("weight", "bias")}
    assert_parameters(submission.DecoderLayer(21, 3, 11), expected)


@pytest.mark.parametrize("activation, norm_first", [("relu", False), ("gelu", True), ("relu", True)])
def test_equals_the_built_in(submission, rng, activation, norm_first):
    """equals nn.TransformerDecoderLayer, with either activation and either order of the norms"""
    layer = submission.DecoderLayer(21, 3, 11, activation=activation, norm_first=norm_first)
    weights, pair = layer.randomize(rng), inputs(rng)
    assert_close(layer(*pair), built_in(weights, *pair, activation=activation, norm_first=norm_first))


def assert_right_alone(submission, rng, *silent, intermediate=11, **sizes):
    """Both orders of the norms are right where the layers of these names give zeros."""
    orders = (False, True)
    layers = [submission.DecoderLayer(21, 3, intermediate, norm_first=norm_first) for norm_first in orders]
    weights = [randomize_but(layer, rng, *silent) for layer in layers]
    pair = inputs(rng, **sizes)
    expected = [built_in(own, *pair, norm_first=bool(i)) for i, own in enumerate(weights)]
    assert_close([layer(*pair) for layer in layers], expected)


def test_self_attention_alone(submission, rng):
    """the self-attention is right where the other two parts add nothing"""
    assert_right_alone(submission, rng, "cross_attn.o_proj", "down_proj")


def test_cross_attention_alone(submission, rng):
    """the cross-attention is right where the other two parts add nothing, to the last of 137 sequences"""
    assert_right_alone(submission, rng, "self_attn.o_proj", "down_proj", batch=137, tgt=2, src=3)


def test_feed_forward_network_alone(submission, rng):
    """the feed-forward network is right where the attentions add nothing, to the last of 139 features"""
    assert_right_alone(submission, rng, "o_proj", tgt=131, intermediate=139)


@pytest.mark.parametrize("hidden_size, num_heads, intermediate_size", [(7, 1, 3), (6, 6, 13)])
def test_other_sizes(submission, rng, hidden_size, num_heads, intermediate_size):
    """one head, heads of one feature and a network narrower than the layer are right"""
    weights = (layer := submission.DecoderLayer(hidden_size, num_heads, intermediate_size)).randomize(rng)
    x, memory = tokens(rng, 2, 5, hidden_size), tokens(rng, 2, 7, hidden_size)
    assert_close(layer(x, memory), decoder_layer(weights, x, memory, num_heads=num_heads))


@orders
def test_memory_as_long_as_x(submission, rng, norm_first):
    """keys and values of the cross-attention are those of memory also where it has the shape of x"""
    layer = submission.DecoderLayer(21, 3, 11, norm_first=norm_first)
    weights, pair = layer.randomize(rng), inputs(rng, tgt=7)
    assert_close(layer(*pair), built_in(weights, *pair, norm_first=norm_first))


def test_defaults(submission, rng):
    """where nothing is said it is post-norm with ReLU, and drops nothing in training"""
    layer = submission.DecoderLayer(21, 3, 11)
    weights, pair = layer.randomize(rng), inputs(rng)
    assert_close(layer.train()(*pair), built_in(weights, *pair))


def test_order_of_the_arguments(submission, rng):
    """dropout, activation and norm_first come in this order, and mask before memory_mask"""
    layer = submission.DecoderLayer(21, 3, 11, 0.5, "gelu", True)
    weights, pair, both = layer.randomize(rng), inputs(rng), masks(rng)
    expected = built_in(weights, *pair, *both, activation="gelu", norm_first=True)
    assert_nothing_dropped(layer, *pair, *both, expected=expected)


def test_mask_broadcasts(submission, rng):
    """mask acts in self-attention, in every shape that broadcasts"""
    layer = submission.DecoderLayer(21, 3, 11)
    weights, pair = randomize_but(layer, rng, "cross_attn.o_proj", "down_proj"), inputs(rng, src=5)
    shapes = [(2, 3, 5, 5), (2, 1, 1, 5), (1, 3, 5, 5), (1, 1, 5, 5), (2, 1, 5, 1)]
    each = {str(shape): rng.mask(*shape) for shape in shapes}
    expected = {shape: built_in(weights, *pair, mask) for shape, mask in each.items()}
    assert_close({shape: layer(*pair, mask) for shape, mask in each.items()}, expected)


def test_memory_mask_broadcasts(submission, rng):
    """memory_mask acts in cross-attention, in every shape that broadcasts"""
    layer = submission.DecoderLayer(21, 3, 11)
    weights, pair = randomize_but(layer, rng, "self_attn.o_proj", "down_proj"), inputs(rng)
    shapes = [(2, 3, 5, 7), (2, 1, 1, 7), (1, 3, 1, 7), (1, 1, 5, 7), (2, 1, 5, 1)]
    each = {str(shape): rng.mask(*shape) for shape in shapes}
    expected = {shape: built_in(weights, *pair, memory_mask=mask) for shape, mask in each.items()}
    assert_close({shape: layer(*pair, memory_mask=mask) for shape, mask in each.items()}, expected)


@orders
def test_both_masks(submission, rng, norm_first):
    """each mask acts in its attention, also where its first head or sequence, or a triangle, is plain"""
    layer = submission.DecoderLayer(21, 3, 11, norm_first=norm_first)
    weights, pair = layer.randomize(rng), inputs(rng, src=5)
    plain = masking.plain_in_part(rng.mask(2, 3, 5, 5))
    both = list(zip(plain, reversed(plain), strict=True))[norm_first::2]
    came = [layer(*pair, mask=mask, memory_mask=other) for mask, other in both]
    assert_close(came, [built_in(weights, *pair, *each, norm_first=norm_first) for each in both])


def test_eps(submission, rng):
    """the norms add 1e-5 to the variance, which shows where x is small"""
    weights = (layer := submission.DecoderLayer(21, 3, 11, norm_first=True)).randomize(rng)
    weights |= {name: value * 0.003 for name, value in weights.items() if ".o_proj." in name}
    layer.load(weights)
    x, memory = inputs(rng)
    assert_close(layer(0.003 * x, memory), built_in(weights, 0.003 * x, memory, norm_first=True))


@pytest.mark.parametrize("masked", [True, False])
@orders
def test_gradients(submission, rng, norm_first, masked):
    """the gradients of x, of memory and of every parameter equal the built-in's, with masks and without,
    where there are few tokens or (with pre-norm) 131 and 137, more than usual blocks take
    """
    layer = submission.DecoderLayer(21, 3, 11, activation="gelu", norm_first=norm_first)
    tgt, src = (131, 137) if norm_first else (5, 7)
    weights, pair = layer.randomize(rng), inputs(rng, tgt=tgt, src=src)
    both = {"mask": long_mask(rng, 2, 1, tgt), "memory_mask": long_mask(rng, 2, 1, tgt, src)}
    both = both if masked else {}
    oracle = partial(built_in, activation="gelu", norm_first=norm_first)
    assert_same_gradients(layer, oracle, *pair, weights=weights, alone=not norm_first, **both)
    if norm_first and masked:
        assert_backward_leaves_all(layer, oracle, *pair, weights=weights, constants=both)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("attention, other", [("self_attn", "cross_attn"), ("cross_attn", "self_attn")])
def test_large_scores_do_not_overflow(submission, rng, attention, other, masked):
    """scores in the thousands give right values and gradients, also at masked places, and without a mask"""
    layer = submission.DecoderLayer(21, 3, 11)
    weights = randomize_but(layer, rng, f"{other}.o_proj")
    raise_scores(weights, f"{attention}.", head_dim=7, norm="norm1" if attention == "cross_attn" else "")
    layer.load(weights)
    pair = told_apart(rng, 2, 5, 21), told_apart(rng, 2, 7, 21)
    both = {"mask": rng.mask(2, 3, 5, 5), "memory_mask": rng.mask(2, 3, 5, 7)} if masked else {}
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    options = {"tolerance": 1e-3, "alone": not masked}
    assert_same_gradients(layer, built_in, *pair, weights=weights, **options, **both)


@orders
def test_float32_is_kept(submission, rng, norm_first):
    """float32 is kept, with both masks, which are not contiguous"""
    layer = submission.DecoderLayer(21, 3, 11, activation="gelu", norm_first=norm_first)
    weights, pair = layer.randomize(rng, dtype=torch.float32), [each.float() for each in inputs(rng)]
    both = [rng.mask(2, 1, 5, src).mT.contiguous().mT for src in (5, 7)]
    expected = built_in(weights, *pair, *both, activation="gelu", norm_first=norm_first)
    assert_close(layer(*pair, *both), expected)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the memory, the sizes and the masks of the calls before it"""
    weights = (layer := submission.DecoderLayer(21, 3, 11)).randomize(rng)
    calls = [(*inputs(rng), *masks(rng)) for _ in range(2)] + [inputs(rng), inputs(rng, 3, 4, 2)]
    assert_close([layer(*call) for call in calls], [built_in(weights, *call) for call in calls])


def test_layers_are_independent(submission, rng):
    """two layers of different configuration, used in turns, do not touch each other"""
    kind = {"norm_first": True, "activation": "gelu"}
    first, second = submission.DecoderLayer(21, 3, 11, **kind), submission.DecoderLayer(21, 3, 11)
    of_first, of_second = ([*(inputs(rng) for _ in range(3)), (*inputs(rng), *masks(rng))] for _ in range(2))
    assert_by_turns(
        with_weights(rng, first.train(), partial(built_in, **kind), of_first),
        with_weights(rng, second.eval(), built_in, of_second),
    )


def test_other_layouts(submission, rng):
    """one token on either side and a batch of one, with masks too, and what is not contiguous are right"""
    weights = (layer := submission.DecoderLayer(21, 3, 11)).randomize(rng)
    pairs = [inputs(rng, tgt=1), inputs(rng, src=1), inputs(rng, batch=1)]
    pairs += [(*inputs(rng, **size), *masks(rng, **size)) for size in ({"tgt": 1}, {"batch": 1})]
    pairs.append((tokens(rng, 5, 2, 21).transpose(0, 1), tokens(rng, 2, 21, 7).transpose(1, 2)))
    assert_close([layer(*pair) for pair in pairs], [built_in(weights, *pair) for pair in pairs])


@orders
def test_no_dropout_in_evaluation(submission, rng, norm_first):
    """in evaluation nothing is dropped or scaled"""
    layer = submission.DecoderLayer(21, 3, 11, dropout=0.5, norm_first=norm_first)
    weights, pair, both = layer.randomize(rng), inputs(rng), masks(rng)
    expected = built_in(weights, *pair, *both, norm_first=norm_first)
    assert_nothing_dropped(layer, *pair, *both, expected=expected)


@orders
def test_dropout_in_training(submission, rng, norm_first):
    """in training two calls differ"""
    (layer := submission.DecoderLayer(21, 3, 11, dropout=0.5, norm_first=norm_first)).randomize(rng)
    assert_dropout_in_training_only(layer, *inputs(rng, 5, 11))


@orders
def test_masks_in_training(submission, rng, norm_first):
    """in training too both masks count, and gradients reach all, whatever is dropped"""
    layer, pair = submission.DecoderLayer(21, 3, 11, dropout=0.3, norm_first=norm_first), inputs(rng)
    layer.randomize(rng)
    seen, of_memory = rng.mask(2, 5), rng.mask(2, 7)
    options = {"mask": seen[:, None, None], "memory_mask": of_memory[:, None, None], "where": seen}
    assert_hidden_in_training(layer, *pair, like=pair[0], hidden={0: ~seen, 1: ~of_memory}, **options)
    assert_gradients_whatever_is_dropped(layer, *pair, *masks(rng))


@pytest.mark.parametrize("hidden_size, num_heads", [(21, 4), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.DecoderLayer, hidden_size, num_heads, 11)


@pytest.mark.parametrize("activation", ["silu", "tanh", "gelu_tanh"])
def test_unknown_activation_raises(submission, activation):
    """an activation other than relu and gelu raises ValueError in the constructor"""
    for name in (activation, "GELU", "elu", "") if is_second_round() else (activation,):
        assert_raises(submission.DecoderLayer, 21, 3, 11, activation=name)


def test_device_of_the_inputs(submission, rng):
    """nothing lands on the default device where that is not that of the inputs"""
    pair, both = [each.float() for each in inputs(rng)], masks(rng)
    assert_keeps_device(submission, "DecoderLayer", *pair, *both, made_with=(21, 3, 11))
    assert_calls_keep_device(submission, "DecoderLayer", pair, (*pair, *both), made_with=(21, 3, 11, 0.4))


@orders
def test_inputs_are_not_modified(submission, rng, norm_first):
    """x, memory and masks are not modified"""
    layer = submission.DecoderLayer(21, 3, 11, norm_first=norm_first).to(torch.float64)
    mask, memory_mask = masks(rng)
    both = {} if norm_first else {"mask": mask, "memory_mask": memory_mask}
    assert_inputs_unchanged(layer, *inputs(rng), **both)
