"""Checks of `local_attention`: values, gradients, large scores, tensors that are never quadratic."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_close, assert_fits, assert_inputs_unchanged, assert_same_gradients, assert_true
from grader.kit.families import masking
from grader.kit.families.attention.checks import assert_never_square
from grader.kit.families.models.default_devices import assert_calls_keep_device
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("flex_attention")


def workload(submission, rng):
    return submission.local_attention.measure(*drawn(rng, 256, batch=1, head_dim=32, dtype=torch.float32), 32)


LADDER = [(1, 1, 0), (2, 1, 0), (3, 1, 1), (4, 1, 1), (4, 2, 2)]


def smallest(submission, rng, seq, head_dim, window):
    """small whole numbers give what the built-in gives"""
    qkv = [whole(rng, 1, 1, seq, head_dim) for _ in range(3)]
    assert_close(submission.local_attention(*qkv, window), built_in(*qkv, window))


def drawn(rng, seq, *, batch=2, heads=3, head_dim=5, dtype=torch.float64):
    return [rng.normal(batch, heads, seq, head_dim, dtype=dtype) for _ in range(3)]


def built_in(query, key, value, window):
    mask = masking.local(query.shape[2], window)
    return F.scaled_dot_product_attention(query, key, value, mask)


def without_gradients(answer, query, key, value):
    """With a window of 16."""
    with torch.no_grad():
        return answer.local_attention(query, key, value, 16)


def sums_of_neighbours(query, key, value):
    """By products of each token with one neighbour at a time: linear in memory."""
    near = range(-16, 17)
    places = torch.arange(query.shape[2])
    outside = [(places + step < 0) | (places + step >= len(places)) for step in near]
    scores = torch.stack([(query * key.roll(-step, 2)).sum(3) for step in near], 3) / query.shape[3] ** 0.5
    weights = scores.masked_fill(torch.stack(outside, 1), -torch.inf).softmax(3)
    return sum(weights[..., place, None] * value.roll(-step, 2) for place, step in enumerate(near))


@pytest.mark.parametrize("seq, window", [(12, 3), (13, 3), (11, 4), (13, 1), (7, 6), (1, 2)])
def test_equals_the_built_in(submission, rng, seq, window):
    """equals F.scaled_dot_product_attention under |i - j| <= window, whatever the length"""
    qkv = drawn(rng, seq)
    assert_close(submission.local_attention(*qkv, window), built_in(*qkv, window))
    if is_second_round():
        qkv, window = drawn(rng, rng.option(100, 2, 300), batch=1, heads=1), rng.option(48, 1, 250)
        assert_close(submission.local_attention(*qkv, window), built_in(*qkv, window))


@pytest.mark.parametrize("seq, window", [(401, 140), (797, 523)])
def test_large_windows(submission, rng, seq, window):
    """windows of more than usual blocks take are right in a longer sequence"""
    qkv = drawn(rng, seq, batch=1, heads=1)
    assert_close(submission.local_attention(*qkv, window), built_in(*qkv, window))


def test_window_of_nothing(submission, rng):
    """with a window of 0 each token sees itself alone"""
    qkv = drawn(rng, 131, batch=1, heads=1)  # more than a block has, which is not to pass for everything
    assert_close(submission.local_attention(*qkv, window=0), built_in(*qkv, 0))


@pytest.mark.parametrize("window", [7, 19])
def test_window_of_everything(submission, rng, window):
    """with a window of seq or more all tokens see all"""
    qkv = drawn(rng, 7)
    assert_close(submission.local_attention(*qkv, window), built_in(*qkv, window))


@pytest.mark.parametrize("seq, window", [(13, 3), (5, 7), (263, 3), (11, 0)])
def test_gradients(submission, rng, seq, window):
    """the gradients of query, key and value equal the built-in's"""
    options = {"constants": {"window": window}}
    assert_same_gradients(submission.local_attention, built_in, *drawn(rng, seq), **options)
    if is_second_round():
        options = {"constants": {"window": rng.option(48, 12, 130)}, "alone": False}
        qkv = drawn(rng, 163, batch=1, heads=1)
        assert_same_gradients(submission.local_attention, built_in, *qkv, **options)


def test_a_second_backward(submission, rng):
    """a backward pass changes nothing that is others', and may run twice"""
    options = {"constants": {"window": 3}}
    assert_backward_leaves_all(submission.local_attention, built_in, *drawn(rng, 13), **options)


def with_large_scores(rng):
    """Inputs for a window of 2: by turns queries score all keys alike, by thousands; the first and the last
    of four tokens, which no blocks of two and more keep apart, score each other highest; any large scores.
    """
    alike, outside, anyhow = drawn(rng, 13), drawn(rng, 4), drawn(rng, 13)
    for query, _, _ in (alike, anyhow):
        query[..., 0] = 5**0.5 * (1.0 - torch.arange(13) % 3)
    alike[1][..., 0] = 3e3
    outside[0][..., 0], outside[1][..., 0] = torch.tensor([[1.0, 0, 0, -1], [-6e3, 0, 0, 6e3]])
    anyhow[1][..., 0] = rng.uniform(2, 3, 13, low=-4e3, high=4e3)
    return alike, outside, anyhow


def test_large_scores(submission, rng):
    """scores in the thousands give right values and gradients, also outside of the window"""
    for qkv in with_large_scores(rng):
        # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
        assert_same_gradients(submission.local_attention, built_in, *qkv, 2, tolerance=1e-3)
    if is_second_round():  # outside of the window 11,000 more: -1e4 added to these scores is not enough
        query, key, value = drawn(rng, 4)
        query[..., 0], key[..., 0] = torch.tensor([[5**0.5, 0, 0, 0], [-5.5e3, -5.5e3, -5.5e3, 5.5e3]])
        came, expected = submission.local_attention(query, key, value, 2), built_in(query, key, value, 2)
        assert_close(came, expected, tolerance=1e-2)


@pytest.mark.parametrize("seq, window", [(131, 8), (130, 2)])
def test_never_quadratic(submission, rng, seq, window):
    """no operation makes a tensor whose last two sizes are both seq or more"""
    qkv = drawn(rng, seq)
    measured = submission.local_attention.measure(*qkv, window)
    assert_never_square(measured, seq)
    assert_close(measured.value, built_in(*qkv, window))
    long = drawn(rng, 12288, batch=1, heads=1, head_dim=8, dtype=torch.float32)
    # Their scores would take 576 MiB, a tenth of them 58: the rest is for what is no tensor.
    assert_fits(
        submission, without_gradients, *long, expected=lambda: sums_of_neighbours(*long), memory=3 * 2**25
    )


def test_memory_is_linear(submission, rng):
    """of four times as many tokens no tensor is kept that is much more than four times as large"""
    few, many = (drawn(rng, seq, batch=1, heads=1, head_dim=1) for seq in (509, 2039))
    came, sizes = submission.run(largest_kept, few, many)
    assert_close(came, [built_in(*few, 7), built_in(*many, 7)])
    growth = sizes[1] / max(sizes[0], 509)
    message = (
        f"the largest tensor that is kept for backward is {growth:.1f} times as large with four times as "
        "many tokens: that is not linear"
    )
    assert_true(growth <= 7, message, seen="linear" if growth <= 7 else "faster")


def largest_kept(answer, *calls):
    """With a window of 7: what comes, and of each call the size of the largest tensor kept for backward."""
    came, sizes = [], []
    for call in calls:
        kept = [0]

        def note(tensor, kept=kept):
            kept.append(tensor.numel())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            came.append(answer.local_attention(*(each.requires_grad_() for each in call), 7).detach())
        sizes.append(max(kept))
    return came, sizes


def test_float32_is_kept(submission, rng):
    """float32 is kept"""
    qkv, window = drawn(rng, rng.option(13, 13, 200), dtype=torch.float32), rng.option(3, 1, 150)
    assert_close(submission.local_attention(*qkv, window), built_in(*qkv, window))


def test_other_layouts(submission, rng):
    """inputs that are not contiguous, one sequence with a single head, heads of one feature are right"""
    transposed = [rng.normal(2, 11, 3, 5).transpose(1, 2) for _ in range(3)]
    for qkv in (transposed, drawn(rng, 9, batch=1, heads=1), drawn(rng, 9, head_dim=1)):
        assert_close(submission.local_attention(*qkv, 2), built_in(*qkv, 2))


def test_calls_are_independent(submission, rng):
    """a call does not depend on the lengths and windows of the calls before it"""
    # The last ones have as many blocks as one before them, with another end.
    sizes = [(11, 2), (11, 4), (7, 2), (12, 4), (12, 3), (11, 3)]
    calls = [(*drawn(rng, seq), window) for seq, window in sizes]
    came = [submission.local_attention(*call) for call in calls]
    assert_close(came, [built_in(*call) for call in calls])


def test_device(submission, rng):
    """the result is on the device of the inputs, whatever the default device is"""
    assert_keeps_device(submission, "local_attention", *drawn(rng, 11), 2)
    window = rng.option(24, 19, 90)
    assert_calls_keep_device(submission, "local_attention", (*drawn(rng, rng.option(99, 91, 200)), window))


def test_inputs_are_not_modified(submission, rng):
    """query, key and value are not modified"""
    assert_inputs_unchanged(submission.local_attention, *drawn(rng, 11), 2)
