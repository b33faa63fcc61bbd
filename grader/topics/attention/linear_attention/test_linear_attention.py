"""Checks of `linear_attention`: values by the quadratic form, gradients, eps, never a quadratic tensor."""

import pytest
import torch

from grader.kit import (
    assert_close,
    assert_fits,
    assert_inputs_unchanged,
    assert_same_gradients,
    assert_true,
)
from grader.kit.families import masking
from grader.kit.families.attention.checks import assert_never_square
from grader.kit.families.models.default_devices import assert_calls_keep_device
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.small import whole

both = pytest.mark.parametrize("is_causal", [False, True])


def workload(submission, rng):
    return submission.linear_attention.measure(*drawn(rng, 1, 4, 128, 16, dtype=torch.float32))


LADDER = [(1, 1, False), (2, 1, False), (2, 2, False), (2, 2, True), (3, 2, True)]


def smallest(submission, rng, seq, dim, is_causal):
    """small whole numbers give what the quadratic form gives"""
    qkv = [whole(rng, seq, dim) for _ in range(3)]
    came = submission.linear_attention(*qkv, is_causal=is_causal)
    assert_close(came, quadratic(*qkv, is_causal))


def drawn(rng, *shape, dtype=torch.float64):
    return [rng.normal(*shape, dtype=dtype) for _ in range(3)]


def quadratic(query, key, value, is_causal=False, eps=1e-6):
    """All weights, written out."""
    features = [torch.where(x > 0, x + 1, x.clamp(max=0).exp()) for x in (query, key)]
    weights = features[0] @ features[1].mT
    if is_causal:
        weights = weights * masking.causal(*weights.shape[-2:])
    return weights @ value / (weights.sum(-1, keepdim=True) + eps)


def without_gradients(answer, query, key, value, is_causal):
    with torch.no_grad():
        return answer.linear_attention(query, key, value, is_causal)


def in_blocks(query, key, value, is_causal):
    """The quadratic form, 512 queries at a time."""
    if not is_causal:
        return torch.cat([quadratic(rows, key, value) for rows in query.split(512)])
    features = [torch.where(x > 0, x + 1, x.clamp(max=0).exp()) for x in (query, key)]
    rows = []
    for start in range(0, len(query), 512):
        weights = (features[0][start : start + 512] @ features[1][: start + 512].T).tril(start)
        rows.append(weights @ value[: start + 512] / (weights.sum(1, keepdim=True) + 1e-6))
    return torch.cat(rows)


@both
@pytest.mark.parametrize("shape", [(2, 3, 7, 5), (7, 5), (3, 1, 5), (2, 1, 3, 5, 2)])
def test_equals_the_quadratic_form(submission, rng, shape, is_causal):
    """equals the quadratic form, with any leading dimensions"""
    qkv = drawn(rng, *shape)
    came = submission.linear_attention(*qkv, is_causal=is_causal)
    assert_close(came, quadratic(*qkv, is_causal))


@both
@pytest.mark.parametrize("seq, dim", [(7, 5), (263, 3)])
def test_gradients(submission, rng, seq, dim, is_causal):
    """the gradients of query, key and value equal the quadratic form's, at 0 too, and in long texts"""
    query, key, value = drawn(rng, 2, seq, dim)
    query[0, 3], key[1, 2] = 0.0, 0.0
    options = {"is_causal": is_causal}
    assert_same_gradients(submission.linear_attention, smooth_quadratic, query, key, value, constants=options)


def smooth_quadratic(query, key, value, is_causal=False, eps=1e-6):
    """The same by the built-in feature map, whose gradient at 0 is 1."""
    features = [torch.nn.functional.elu(x) + 1 for x in (query, key)]
    weights = features[0] @ features[1].mT
    if is_causal:
        weights = weights * masking.causal(*weights.shape[-2:])
    return weights @ value / (weights.sum(-1, keepdim=True) + eps)


@both
def test_large_inputs(submission, rng, is_causal):
    """where entries of query and key are 1000 or -1000, values and gradients are right too"""
    query, key, value = drawn(rng, 2, 7, 5)
    for x, row in ((query[0], 3), (query[1], 1), (key[1], 2), (key[0], 4)):
        x[row, 1:3] = torch.tensor([1000.0, -1000.0])
    options = {"is_causal": is_causal}
    assert_same_gradients(submission.linear_attention, smooth_quadratic, query, key, value, constants=options)


@both
def test_long_texts(submission, rng, is_causal):
    """a long text that does not divide into equal chunks is right up to its last token"""
    qkv = drawn(rng, 1103, 3)
    assert_close(submission.linear_attention(*qkv, is_causal=is_causal), quadratic(*qkv, is_causal))


@both
def test_eps(submission, rng, is_causal):
    """eps is added to the denominator, also where that is smaller, and the gradients are right"""
    query, key, value = drawn(rng, 2, 7, 5)
    qkv, options = (query - torch.arange(7.0)[:, None], key, value), {"is_causal": is_causal, "eps": 0.7}
    assert_same_gradients(submission.linear_attention, smooth_quadratic, *qkv, constants=options)


@both
def test_default_eps(submission, rng, is_causal):
    """eps is 1e-6 by default, which counts where all weights are small"""
    query, key, value = drawn(rng, 2, 7, 5)
    qkv = query - 9, key - 8, value
    came = submission.linear_attention(*qkv, is_causal=is_causal)
    assert_close(came, quadratic(*qkv, is_causal))


@both
@pytest.mark.parametrize("shape", [(2, 67, 5), (3, 1, 83, 5)])
def test_never_quadratic(submission, rng, shape, is_causal):
    """no operation makes a tensor whose last two sizes are both seq or more"""
    qkv = drawn(rng, *shape)
    measured = submission.linear_attention.measure(*qkv, is_causal=is_causal)
    assert_never_square(measured, shape[-2])
    long = drawn(rng, 6144, 8, dtype=torch.float32)
    # The weights would take 144 MiB.
    expected = lambda: in_blocks(*long, is_causal)  # noqa: E731
    assert_fits(submission, without_gradients, *long, is_causal, expected=expected, memory=3 * 2**25)
    assert_close(measured.value, quadratic(*qkv, is_causal))


VIEWS = """
    alias as_strided detach diagonal expand narrow permute select slice split split_with_sizes squeeze t
    transpose unbind unfold unsqueeze view _reshape_alias _unsafe_view
"""


def numbers_made(measured):
    """Of all tensors that operations make, but for views."""
    made = [operation for operation in measured.operations if operation.name not in VIEWS.split()]
    return sum(operation.elements for operation in made)


@both
def test_cost_is_linear(submission, rng, is_causal):
    """a text four times as long makes ten times as many numbers at most, no more than 1000 for each token"""
    seq = int(rng.integers(113, 129, 1))
    short, long = [
        numbers_made(submission.linear_attention.measure(*drawn(rng, length, 3), is_causal=is_causal))
        for length in (seq, 4 * seq)
    ]
    message = (
        f"for {seq} tokens it computes {short:,} numbers, for {4 * seq} {long:,}: that is quadratic. Every "
        "query that goes over all keys is seq times seq weights, one after the other too: sum up keys and "
        "values first"
    )
    assert_true(long <= min(10 * short, 1000 * 4 * seq), message)


@both
def test_float32_is_kept(submission, rng, is_causal):
    """float32 is kept"""
    qkv = drawn(rng, 2, 7, 5, dtype=torch.float32)
    for eps in (1e-6, float(rng.uniform(1, low=0.1, high=2.0))):
        came = submission.linear_attention(*qkv, is_causal, eps)
        assert_close(came, quadratic(*qkv, is_causal, eps))


@both
def test_other_layouts(submission, rng, is_causal):
    """inputs that are not contiguous, of many dimensions, and features of one dimension are right"""
    turned, many = [rng.normal(2, 7, 3, 5).transpose(1, 2) for _ in range(3)], rng.integers(1, 3, 5).tolist()
    for qkv in (turned, drawn(rng, 7, 1), drawn(rng, *many, 3, 2)):
        came = submission.linear_attention(*qkv, is_causal=is_causal)
        assert_close(came, quadratic(*qkv, is_causal))


def test_calls_are_independent(submission, rng):
    """a call does not depend on the calls before it"""
    calls = [(*drawn(rng, 7, 5), is_causal) for is_causal in (False, True, False)]
    came = [submission.linear_attention(*call) for call in calls]
    assert_close(came, [quadratic(*call) for call in calls])


@both
def test_device(submission, rng, is_causal):
    """the result is on the device of the inputs, whatever the default device is"""
    for eps in (1e-6, 0.3):
        assert_keeps_device(submission, "linear_attention", *drawn(rng, 7, 5), is_causal, eps)
    lengths = [rng.option(29, 17, 150) for _ in range(5)]
    calls = [(*drawn(rng, seq, 5, dtype=torch.float32), True) for seq in lengths]
    assert_calls_keep_device(submission, "linear_attention", *calls)


@both
def test_inputs_are_not_modified(submission, rng, is_causal):
    """query, key and value are not modified"""
    for options in ({}, {"eps": 0.3}):
        qkv = drawn(rng, 2, 7, 5)
        assert_inputs_unchanged(submission.linear_attention, *qkv, is_causal=is_causal, **options)
