"""Checks of `conv2d`: stride, padding, dilation, groups, bias, alone and together; gradients; what raises."""

import pytest
import torch
from torch.nn import functional

from grader.kit import (
    assert_close,
    assert_inputs_unchanged,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import Player, assert_by_turns
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("convolution")


def workload(submission, rng):
    x, weight = rng.normal(4, 8, 16, 16, dtype=torch.float32), rng.normal(16, 8, 3, 3, dtype=torch.float32)
    return submission.conv2d.measure(x, weight, rng.normal(16, dtype=torch.float32), 2, 1)


LADDER = [
    ((1, 1, 2, 2), (1, 1, 1, 2), 1, 0, 1, 1),
    ((1, 1, 3, 3), (1, 1, 2, 2), 1, 0, 1, 1),
    ((1, 1, 3, 4), (1, 1, 2, 2), 2, 0, 1, 1),
    ((1, 1, 2, 3), (1, 1, 2, 1), 1, (1, 0), 1, 1),
    ((1, 1, 3, 3), (1, 1, 2, 2), 1, 0, (1, 2), 1),
    ((1, 2, 2, 2), (2, 2, 1, 2), 1, 0, 1, 1),
    ((1, 4, 1, 2), (4, 2, 1, 1), 1, 0, 1, 2),
]


def smallest(submission, rng, shape, weight_shape, stride, padding, dilation, groups):
    """small whole numbers give what the built-in gives"""
    given = whole(rng, *shape, most=3), whole(rng, *weight_shape), whole(rng, weight_shape[0])
    options = stride, padding, dilation, groups
    assert_close(submission.conv2d(*given, *options), functional.conv2d(*given, *options))


def draw(rng, shape, weight_shape, dtype=torch.float64):
    """An input, a weight and a bias."""
    return tuple(rng.normal(*each, dtype=dtype) for each in (shape, weight_shape, weight_shape[:1]))


def assert_equals_built_in(submission, rng, shape, weight_shape, *options, alone=False):
    given = *draw(rng, shape, weight_shape), *options
    assert_same_gradients(submission.conv2d, functional.conv2d, *given, alone=alone)


def larger(rng):
    """In the second round larger steps and margins than usual: one by a little, one by much."""
    return (rng.option(4, 4, 5), rng.option(8, 6, 14)) if is_second_round() else ()


@pytest.mark.parametrize("kernel", [(3, 2), (1, 1), (1, 4), (5, 1), (7, 6)])
def test_equals_the_built_in(submission, rng, kernel):
    """it equals F.conv2d for kernels of any size, and so do its gradients"""
    assert_equals_built_in(submission, rng, (2, 3, 7, 6), (5, 3, *kernel), alone=kernel == (3, 2))


def test_without_bias(submission, rng):
    """without a bias nothing is added"""
    x, weight, _ = draw(rng, (2, 3, 5, 7), (5, 3, 3, 2))
    assert_same_gradients(submission.conv2d, functional.conv2d, x, weight)


def test_bias_belongs_to_channels(submission, rng):
    """each output channel gets its own number of the bias, also where sizes are equal"""
    x, weight, bias = draw(rng, (4, 3, 4, 4), (4, 3, 1, 1))
    assert_close(submission.conv2d(x, weight, bias), functional.conv2d(x, weight, bias))


@pytest.mark.parametrize("stride", [2, 3, (2, 1), (1, 3), (3, 2)])
def test_stride(submission, rng, stride):
    """stride is the distance of the windows; what is left over at the end is not used"""
    assert_equals_built_in(submission, rng, (2, 2, 8, 10), (3, 2, 3, 2), stride)
    for stride in larger(rng):
        assert_equals_built_in(submission, rng, (1, 2, 23, 42), (3, 2, 3, 2), stride)


@pytest.mark.parametrize(
    "height, width, stride, padding",
    # Padding on one side, or the numbers of a pair swapped, leave the output as large as it is.
    [(6, 5, 2, 1), (7, 6, 3, (1, 2)), (6, 5, (2, 3), 0)],
)
def test_what_is_left_over(submission, rng, height, width, stride, padding):
    """windows begin at the first place, padded or not, and the rest at the end is left out"""
    assert_equals_built_in(submission, rng, (2, 2, height, width), (3, 2, 3, 2), stride, padding)


@pytest.mark.parametrize("padding", [1, 3, (1, 2), (2, 0), (0, 1)])
def test_padding(submission, rng, padding):
    """padding puts zeros on both sides, also more than the kernel is large"""
    assert_equals_built_in(submission, rng, (2, 2, 5, 6), (3, 2, 3, 2), 1, padding)
    for padding in larger(rng):
        assert_equals_built_in(submission, rng, (1, 2, 5, 6), (3, 2, 3, 2), 1, padding)


@pytest.mark.parametrize("dilation", [2, 3, (2, 1), (1, 3), (3, 2)])
def test_dilation(submission, rng, dilation):
    """dilation is the distance of the places that a window reads"""
    assert_equals_built_in(submission, rng, (2, 2, 9, 8), (3, 2, 3, 2), 1, 0, dilation)
    for dilation in larger(rng):
        assert_equals_built_in(submission, rng, (1, 2, 43, 24), (3, 2, 3, 2), 1, 0, dilation)


@pytest.mark.parametrize(
    "channels, weight_shape, groups",
    [
        (4, (6, 2, 3, 2), 2),
        (6, (3, 2, 3, 2), 3),
        (3, (6, 1, 3, 2), 3),
        (4, (4, 1, 3, 2), 4),
        (6, (4, 3, 1, 1), 2),
    ],
)
def test_groups(submission, rng, channels, weight_shape, groups):
    """a group of neighbouring output channels reads its group of neighbouring input channels alone"""
    assert_equals_built_in(submission, rng, (2, channels, 5, 4), weight_shape, 1, 0, 1, groups)
    if is_second_round():
        groups, channels, outputs = rng.option(9, 2, 40), rng.option(2, 1, 4), rng.option(2, 1, 4)
        shapes = (2, groups * channels, 5, 4), (groups * outputs, channels, 3, 2)
        assert_equals_built_in(submission, rng, *shapes, 1, 0, 1, groups)


@pytest.mark.parametrize(
    "stride, padding, dilation",
    [(2, 1, 2), ((2, 3), (1, 2), (2, 1)), ((3, 2), (2, 0), (1, 3)), ((1, 2), (0, 3), (3, 2))],
)
@pytest.mark.parametrize("groups", [1, 2])
def test_all_together(submission, rng, stride, padding, dilation, groups):
    """stride, padding, dilation and groups are right together, in both directions"""
    shapes = (2, 4, 10, 9), (6, 4 // groups, 3, 2)
    assert_equals_built_in(submission, rng, *shapes, stride, padding, dilation, groups, alone=groups == 2)
    if is_second_round():
        groups, pairs = rng.option(3, 1, 12), [(rng.option(2, 1, 7), rng.option(2, 1, 7)) for _ in range(3)]
        shapes = (1, 2 * groups, 17, 16), (3 * groups, 2, 3, 2)
        assert_equals_built_in(submission, rng, *shapes, *pairs, groups)


@pytest.mark.parametrize(
    "weight_shape, options",
    [
        ((6, 4, 1, 1), (1, (1, 2))),
        ((6, 4, 1, 1), ((2, 3), 0)),
        ((4, 1, 3, 3), (2, (1, 0), (1, 2), 4)),
        ((6, 2, 2, 2), (2, 0, 2, 2)),
    ],
)
def test_where_a_shorter_way_is_near(submission, rng, weight_shape, options):
    """no argument is forgotten where a kernel is a single place or as large as the stride, or each for a
    channel of its own
    """
    given = *draw(rng, (2, 4, 5, 7), weight_shape), *options
    assert_close(submission.conv2d(*given), functional.conv2d(*given))
    for groups in (1, 2) if is_second_round() else ():  # patches, with a margin
        kernel = rng.option(2, 2, 4), rng.option(3, 2, 4)
        padding = rng.option(1, 1, 3), rng.option(1, 1, 3)
        given = *draw(rng, (2, 4, 9, 10), (6, 4 // groups, *kernel)), kernel, padding, 1, groups
        assert_close(submission.conv2d(*given), functional.conv2d(*given))


@pytest.mark.parametrize(
    "shape, weight_shape, padding",
    [
        ((1, 1, 1, 1), (1, 1, 1, 1), 0),
        ((1, 3, 4, 5), (2, 3, 4, 5), 0),
        ((2, 1, 1, 6), (1, 1, 1, 3), 0),
        ((1, 2, 6, 1), (3, 2, 3, 1), 0),
        ((2, 2, 2, 1), (3, 2, 4, 3), 1),
    ],
)
def test_smallest_sizes(submission, rng, shape, weight_shape, padding):
    """batch, channels and output of 1 are right, and so is a kernel larger than the input before padding"""
    assert_equals_built_in(submission, rng, shape, weight_shape, 1, padding)


@pytest.mark.parametrize(
    "channels, weight_shape, groups",
    [
        (4, (5, 2, 2, 2), 2),
        (4, (6, 4, 2, 2), 2),
        (3, (6, 2, 2, 2), 2),
        (4, (4, 3, 2, 2), 1),
        (6, (6, 2, 2, 2), 2),
        (5, (4, 2, 2, 2), 2),
    ],
)
def test_channels_that_do_not_fit(submission, rng, channels, weight_shape, groups):
    """channels and weight that do not fit the groups raise ValueError"""
    x, weight, bias = draw(rng, (2, channels, 5, 4), weight_shape)
    assert_raises(submission.conv2d, x, weight, bias, 1, 0, 1, groups)
    if is_second_round():  # more groups than results
        x, weight, bias = draw(rng, (2, 4, 5, 4), (2, 1, 2, 2))
        assert_raises(submission.conv2d, x, weight, bias, 1, 0, 1, 4)


def test_float32_is_kept(submission, rng):
    """float32 is kept, in value and gradients"""
    options = [(2, 1), (1, 2), (1, 2), 2]
    if is_second_round():
        options[:3] = [(rng.option(2, 1, most), rng.option(2, 1, most)) for most in (6, 9, 4)]
    given = *draw(rng, (2, 4, 7, 6), (6, 2, 3, 2), torch.float32), *options
    assert_same_gradients(submission.conv2d, functional.conv2d, *given)
    assert_backward_leaves_all(submission.conv2d, functional.conv2d, *given)


@pytest.mark.parametrize(
    "shape, weight_shape, options",
    [((131, 2, 2, 137), (3, 2, 1, 2), (1, (0, 1))), ((1, 139, 131, 1), (137, 139, 2, 1), ())],
)
def test_large_sizes(submission, rng, shape, weight_shape, options):
    """more than 128 images, channels, rows and columns are right to the last one, and so are gradients"""
    assert_equals_built_in(submission, rng, shape, weight_shape, *options)


def test_other_layouts(submission, rng):
    """arguments that are not contiguous are right, padded or not, and so are their gradients"""
    x, weight = rng.normal(2, 7, 6, 4).movedim(-1, 1), rng.normal(3, 2, 2, 6).permute(3, 2, 0, 1)
    given = x, weight, rng.normal(6, 2)[:, 0], (2, 1)
    for padding in ((1, 2), 0):
        assert_same_gradients(submission.conv2d, functional.conv2d, *given, padding, 1, 2, alone=False)


def test_zeros_are_numbers_like_others(submission, rng):
    """zeros in x, weight and bias count like any other values"""
    x, weight = whole(rng, 2, 3, 5, 4), whole(rng, 5, 3, 3, 2)
    x[0], weight[1], weight[:, 2], weight[:, :, 1, 0] = 0.0, 0.0, 0.0, 0.0
    bias = torch.zeros(5, dtype=torch.float64)
    assert_same_gradients(submission.conv2d, functional.conv2d, x, weight, bias, 2, 1, alone=False)
    x, weight, bias = draw(rng, (2, 1, 5, 4), (1, 1, 3, 2))
    bias = torch.zeros(1, dtype=torch.float64)
    assert_close(submission.conv2d(x, weight, bias), functional.conv2d(x, weight, bias))


def test_calls_keep_apart(submission, rng):
    """calls with other options, or the same shapes and other values, know nothing of each other"""
    # Padded, the first two and the last ones are as large; of each pair one is asked without gradients.
    options = [(1, (0, 1)), (1, (0, 1), 2), (2, 0, 1, 2), (1, 1), (1, 1)]
    rows = [9, 9, 7, 7, 7]
    calls = [
        (*draw(rng, (2, 4, height, 6), (6, 4 // (each[3:] or (1,))[0], 3, 2)), *each)
        for height, each in zip(rows, options, strict=True)
    ]
    assert_by_turns(Player(submission.conv2d, functional.conv2d, calls))


def test_device(submission, rng):
    """nothing is made on the default device where the arguments are on another one"""
    x, weight, bias = draw(rng, (2, 4, 7, 6), (6, 2, 3, 2), torch.float32)
    assert_keeps_device(submission, "conv2d", x, weight, bias, 2, 1, 2, 2)
    assert_keeps_device(submission, "conv2d", x, weight, None, 1, 0, 1, 2)


def test_arguments_are_not_modified(submission, rng):
    """no argument is modified, also where nothing is padded"""
    given = draw(rng, (2, 4, 7, 6), (6, 2, 3, 2))
    assert_inputs_unchanged(submission.conv2d, *given, 2, 1, 1, 2)
    assert_inputs_unchanged(submission.conv2d, *given, 1, 0, 1, 2)
