"""Checks of `int8_linear`: row by row against NumPy; exact sums; nothing of the float weight is kept."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from grader.kit import (
    assert_close,
    assert_equal,
    assert_fits,
    assert_inputs_unchanged,
    assert_parameters,
    assert_true,
)
from grader.kit.families.leading_dimensions import of_many_dimensions
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_moves, assert_scenario_keeps_device
from grader.kit.rules.turns import Player, assert_by_turns

pytestmark = pytest.mark.forbid("quantization")

LADDER = [(1, 2, 1), (1, 2, 2), (2, 2, 3), (2, 3, 2)]


def workload(submission, rng):
    return layer_of(submission, rng.normal(128, 128), rng.normal(128)).measure(rng.normal(64, 128))


def smallest(submission, rng, tokens, features, outputs):
    """small whole numbers give the rows of x and of the weight in int8, and their product"""
    x, weight = (2 * rng.integers(-2, 2, *size, features).double() + 1 for size in ((tokens,), (outputs,)))
    bias = rng.integers(-2, 3, outputs).double()
    assert_close(submission.quantize(x), quantized(x))
    assert_close(layer_of(submission, weight, bias)(x), applied(weight, bias, x))


def quantized(x):
    """(q, scale), row by row."""
    rows = x.numpy().reshape(-1, x.shape[-1])
    scales = np.array([[np.abs(row).max() / 127 or 1] for row in rows], dtype=rows.dtype)
    q = np.array([np.rint(row / scale) for row, scale in zip(rows, scales, strict=True)])
    q = torch.from_numpy(q).to(torch.int8).reshape(x.shape)
    return q, torch.from_numpy(scales).reshape(*x.shape[:-1], 1)


def applied(weight, bias, x):
    """What the layer gives: whole numbers in int64, then the scales."""
    (q, x_scale), (w, w_scale) = quantized(x), quantized(weight)
    tokens = q.long().numpy().reshape(-1, x.shape[-1])
    sums = np.array([[float(token @ row) for row in w.long().numpy()] for token in tokens])
    product = torch.from_numpy(sums).to(x.dtype).reshape(*x.shape[:-1], len(weight))
    return product * x_scale * w_scale.flatten() + (0 if bias is None else bias)


def draw(rng, *shape, dtype=torch.float64):  # normal values
    return clear(rng.normal(*shape, dtype=dtype))


def clear(x):
    """The same, moved where no rounding of a quotient decides on which side of a tie it is."""
    step = x.abs().amax(-1, keepdim=True) / 127
    quotient = x / step
    near = (quotient - quotient.floor() - 0.5).abs() < 1e-2
    return torch.where(near, x + 0.05 * step, x)


def linear_of(answer, weight, bias):
    linear = nn.Linear(weight.shape[1], len(weight), bias=bias is not None, dtype=weight.dtype)
    linear.load_state_dict({"weight": weight} if bias is None else {"weight": weight, "bias": bias})
    return linear


def linear(submission, weight, bias):  # nn.Linear in the worker
    return submission.run(linear_of, weight, bias)


def layer_of(submission, weight, bias):  # the answer's layer, made from it
    return submission.Int8Linear(linear(submission, weight, bias))


@pytest.mark.parametrize("shape", [(7,), (3, 7), (2, 3, 2, 7), (5, 1)])
def test_quantize(submission, rng, shape):
    """each row of the last dimension has its scale max |x| / 127, and is x / scale, rounded"""
    x = draw(rng, *of_many_dimensions(rng, shape))
    assert_close(submission.quantize(x), quantized(x))


def test_sign_of_the_largest(submission, rng):
    """the largest value counts without its sign, also among negative ones alone: it becomes 127 or -127"""
    x = torch.cat([rng.uniform(4, 10, low=-0.6, high=0.8), torch.ones(4, 1).double()], dim=1)
    x = clear(torch.cat([x[:1], -x[1:2], x[2:3].abs(), -x[3:].abs()]))
    assert_close(submission.quantize(x), quantized(x))


def test_small_rows(submission, rng):
    """a row of small values is resolved as finely as one of large ones"""
    x = draw(rng, 3, 11) * torch.tensor([[1e-3], [1e3], [1e-2]]).double()
    x[0] *= 1.01e-4 / x[0].abs().max()
    (q, scale), (whole, expected) = submission.quantize(x), quantized(x)
    assert_equal(q, whole, what="q")
    assert_close(scale / expected, torch.ones_like(expected), what="scale / expected scale")


def test_rows_of_zeros(submission, rng):
    """a row of zeros gives zeros and a scale that is positive and finite; other rows keep theirs"""
    x = draw(rng, 4, 7)
    x[1::2] = 0.0
    q, scale = submission.quantize(x)
    usable = bool((scale[1::2].isfinite() & (scale[1::2] > 0)).all())
    assert_true(usable, f"the scale of a row of zeros is {scale[1].item()}: it has to be positive and finite")
    assert_equal(q, quantized(x)[0], what="q")
    assert_close(scale[::2], quantized(x)[1][::2], what="scales of the other rows")


def test_float32_is_kept(submission, rng):
    """float32 gives float32 scales and results"""
    n, m = rng.option(7, 2, 700), rng.option(5, 1, 150)
    x, weight, bias = (draw(rng, *shape, dtype=torch.float32) for shape in ((3, n), (m, n), (m,)))
    came = submission.quantize(x), layer_of(submission, weight, bias)(x)
    assert_close(came, (quantized(x), applied(weight, bias, x)))


def test_other_layouts(submission, rng):
    """an x that is not contiguous is right, for quantize and for the layer"""
    x, weight = draw(rng, 5, 3, 7).transpose(0, 1), draw(rng, 5, 7)
    came, same = (submission.quantize(x), layer_of(submission, weight, None)(x)), x.contiguous()
    assert_close(came, (quantized(same), applied(weight, None, same)))


def test_inputs_are_not_modified(submission, rng):
    """x is not modified, neither by quantize nor by the layer"""
    x = torch.cat([draw(rng, 3, 7), torch.zeros(1, 7).double()])
    assert_inputs_unchanged(submission.quantize, x)
    assert_inputs_unchanged(layer_of(submission, draw(rng, 5, 7), None), x)


def test_buffers(submission, rng):
    """it has no parameters; its state dict is the int8 weight, one scale for each output, and the bias"""
    weight, bias = draw(rng, 5, 7), rng.normal(5)
    assert_parameters(layer_of(submission, weight, bias), {})
    (q, scale), (came, _) = quantized(weight), submission.run(held, linear(submission, weight, bias))
    assert_close(came, {"bias": bias, "scale": scale, "weight": q})


def test_without_bias(submission, rng):
    """without a bias the attribute bias is None, and not in the state dict"""
    of = linear(submission, draw(rng, 5, 7), None)
    assert_equal(submission.Int8Linear(of).attribute("bias"), None, what="bias")
    assert_equal(sorted(submission.run(held, of)[0]), ["scale", "weight"], what="state dict")


def test_scale_requires_no_gradient(submission, rng):
    """the scale requires no gradient: it is not part of a graph that keeps the float weight alive"""
    assert_equal(submission.run(held, linear(submission, draw(rng, 5, 7), rng.normal(5)))[1], [])


def held(answer, linear):
    """What is in the state dict, and the scale if it requires a gradient."""
    with torch.enable_grad():
        layer = answer.Int8Linear(linear)
    buffers = sorted(layer.named_buffers())
    in_graphs = [name for name, buffer in buffers if name == "scale" and buffer.requires_grad]
    return dict(sorted(layer.state_dict().items())), in_graphs


def test_nothing_else_is_kept(submission, rng):
    """no other copy of the weight is kept, neither at first nor after a forward"""
    layer = layer_of(submission, draw(rng, 61, 67), rng.normal(61))
    for when in ("at first", "after a forward"):
        few = sum(layer.storages().values()) <= 61 * 67 + 2 * 61 * 8 + 1000
        message = f"{when} the layer holds more than the weight in int8, the scales and the bias"
        assert_true(few, f"{message}: is there another copy of the weight in an attribute?", seen=few)
        layer(draw(rng, 3, 67))


def test_memory(submission, rng):
    """many large layers need one byte for each weight, and give what one gives"""
    drawn = [rng.normal(size, dtype=torch.float32) for size in (251, 4001, 4001)]
    column, row, x = drawn[0][:, None], clear(drawn[1]), clear(drawn[2])
    assert_close(submission.run(of_many, column[:5], row, x, 2), applied(column[:5] * row, None, x))
    args, memory = (column, row, x, 16), 64 * 2**20
    assert_fits(submission, of_many, *args, expected=lambda: applied(column * row, None, x), memory=memory)


def of_many(answer, column, row, x, count):
    linear = nn.Linear(len(row), len(column), bias=False)
    linear.weight.data = column * row  # the same quotients in all rows
    return [layer(x.clone()) for layer in [answer.Int8Linear(linear) for _ in range(count)]][-1]


def test_independent_of_the_linear(submission, rng):
    """what is written into the linear afterwards changes nothing in the layer, and it modifies no linear"""
    weight, bias, x = draw(rng, 5, 7), rng.normal(5), draw(rng, 3, 7)
    came, *found = submission.run(changed_afterwards, linear(submission, weight, bias), x)
    assert_close(came, applied(weight, bias, x), what="after the linear has changed")
    assert_equal(found, [weight, bias, [True] * 3], what="the linear, and whether it is trained as before")


def changed_afterwards(answer, linear, x):
    layer = answer.Int8Linear(linear)
    found = [each.detach().clone() for each in (linear.weight, linear.bias)]
    found.append([linear.weight.requires_grad, linear.bias.requires_grad, linear.training])
    linear.weight.data.mul_(-3.0)
    linear.bias.data.add_(5.0)
    return layer(x), *found


def test_state_dict_of_another(submission, rng):
    """a layer that loads the state dict of another gives what that one gives, and shares nothing with it"""
    weight, bias, x = draw(rng, 5, 7), rng.normal(5), draw(rng, 3, 7)
    linears = linear(submission, weight, bias), linear(submission, draw(rng, 5, 7), rng.normal(5))
    assert_close(submission.run(loaded, *linears, x), applied(weight, bias, x))


def loaded(answer, first, second, x):
    layer = answer.Int8Linear(second)
    layer(x.clone())
    layer.load_state_dict(answer.Int8Linear(first).state_dict())
    return layer(x)


@pytest.mark.parametrize("shape, outputs", [((7,), 5), ((2, 3, 2, 7), 7), ((1, 2), 1)])
def test_layer(submission, rng, shape, outputs):
    """the layer is the product of the whole numbers, times both scales, plus the bias"""
    shape = of_many_dimensions(rng, shape)
    weight, bias, x = draw(rng, outputs, shape[-1]), rng.normal(outputs), draw(rng, *shape)
    assert_close(layer_of(submission, weight, bias)(x), applied(weight, bias, x))


def test_rows_are_apart(submission, rng):
    """each token and each output has its own scale: a large one beside it makes none coarser"""
    weight, x = draw(rng, 5, 7), draw(rng, 2, 3, 7)
    x[0, 1] *= 1000.0
    weight[3] *= 1000.0
    usual = (x.abs().amax(-1) < 100)[..., None] & (weight.abs().amax(-1) < 100)
    came, expected = layer_of(submission, weight, None)(x), applied(weight, None, x)
    assert_close(came[:1], expected[:1], where=usual[:1], what="beside a large token")
    assert_close(came[1:], expected[1:], where=usual[1:], what="beside an output of large weights")


def test_each_call_has_its_own_scales(submission, rng):
    """x is quantized anew in each call, and two layers of different linears keep apart"""
    players = []
    for weights in [(draw(rng, 5, 7), rng.normal(5)), (draw(rng, 3, 7), None)]:
        calls = [(size * draw(rng, 2, 7),) for size in (9.0, 0.1)]
        players.append(Player(layer_of(submission, *weights), partial(applied, *weights), calls))
    assert_by_turns(*players)


def test_rows_of_zeros_in_the_layer(submission, rng):
    """a token of zeros gives the bias, and so does an output whose weights are all zero"""
    weight, bias, x = draw(rng, 5, 7), rng.normal(5), draw(rng, 3, 7)
    x[1], weight[2] = 0.0, 0.0
    assert_close(layer_of(submission, weight, bias)(x), applied(weight, bias, x))


def test_sums_beyond_float32(submission, rng):
    """sums beyond 2^24 are exact: right to 1e-12 in float64"""
    weight, x = (clear(rng.uniform(rows, 1501, low=0.9, high=1.0)) for rows in (5, 3))
    assert_exact(layer_of(submission, weight, None), weight, x, tolerance=1e-12)


def test_sums_that_cancel(submission, rng):
    """in float32 too the sum is one of whole numbers: nothing is lost where large products cancel"""
    weight, x = (clear(rng.uniform(rows, 30001, low=0.9, high=1.0, dtype=torch.float32)) for rows in (5, 3))
    weight[:, 1::2], x[:, 1::2] = -weight[:, :-1:2], x[:, :-1:2]  # but not in sums over every 16th product
    if is_second_round():  # all that is taken off comes behind all that is added: in sums over blocks, too
        weight, x = (torch.cat([each[:, ::2], each[:, 1::2]], dim=1) for each in (weight, x))
    assert_exact(layer_of(submission, weight, None), weight, x, tolerance=1e-6)


def assert_exact(layer, weight, x, *, tolerance):
    """The sums of whole numbers have nothing of rounding; which they get depends on the order of summing."""
    (q, x_scale), (w, w_scale) = quantized(x), quantized(weight)
    sums = q.double() @ w.double().T
    assert_close(whole := layer(x).double() / (x_scale * w_scale.flatten()).double(), sums, absolute=1000.0)
    off = (whole - sums).abs()
    is_exact = bool(off.max() <= tolerance * sums.abs().max())
    are_whole = bool(((off - off.round()).abs() < 0.02).all())
    message = f"sums of whole numbers are off by up to {off.max():.3g}: they should be exact"
    assert_true(is_exact, message, seen="exact" if is_exact else "whole" if are_whole else "off")


def test_device(submission, rng):
    """results are on the device of the arguments where the default device is another one; the layer moves"""
    x, of = draw(rng, 3, 7), linear(submission, draw(rng, 5, 7), rng.normal(5))
    x[1] = 0.0
    assert_keeps_device(submission, "quantize", x)
    assert_scenario_keeps_device(submission, built, draw(rng, 5, 7), rng.normal(5))
    assert_keeps_device(submission, "Int8Linear", x, made_with=(of,))
    assert_moves(submission, "Int8Linear", x, made_with=(of,))


def built(answer, weight, bias):
    linear = nn.Linear(weight.shape[1], len(weight), dtype=weight.dtype, device="cpu")
    linear.weight.data, linear.bias.data = weight, bias
    return list(answer.Int8Linear(linear).state_dict().values())
