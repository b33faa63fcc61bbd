"""Checks of `scaled_dot_product_attention`: values, masks, causality, scale, dtypes, gradients."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_close, assert_inputs_unchanged, assert_same_gradients
from grader.kit.families.leading_dimensions import of_many_dimensions
from grader.kit.rounds import is_second_round
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention")


def workload(submission, rng):
    query, key, value = (rng.normal(2, 4, 64, 32, dtype=torch.float32) for _ in range(3))
    return submission.scaled_dot_product_attention.measure(query, key, value)


LADDER = [(1, 1, 1, False), (1, 2, 1, False), (2, 2, 2, False), (2, 3, 2, False), (3, 3, 2, True)]


def smallest(submission, rng, q_len, kv_len, head_dim, is_causal):
    """small whole numbers give what the built-in gives"""
    query, key, value = (whole(rng, 1, n, head_dim) for n in (q_len, kv_len, kv_len))
    came = submission.scaled_dot_product_attention(query, key, value, is_causal=is_causal)
    assert_close(came, built_in(query, key, value, is_causal=is_causal))


def built_in(query, key, value, mask=None, is_causal=False, scale=None):
    return F.scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal, scale=scale)


def inputs(rng, *leading, q_len=5, kv_len=7, sizes=(11, 13)):
    """Query, key and value, with these sizes of their vectors: head_dim and value_dim."""
    head_dim, value_dim = sizes
    key = (*leading, kv_len, head_dim)
    return rng.normal(*leading, q_len, head_dim), rng.normal(*key), rng.normal(*leading, kv_len, value_dim)


def other_scales(rng, high=3.0):
    """In the second round a scale above 0 and one below it, and a whole number if it is not too high."""
    drawn = [sign * rng.option(0.7, 0.01, high) for sign in (1, -1) if is_second_round()]
    return [*drawn, 2] if drawn and high > 2 else drawn


@pytest.mark.parametrize(
    "leading, q_len, kv_len", [((2, 3), 5, 7), ((), 7, 5), ((3,), 1, 7), ((2, 1, 3), 5, 1), ((1, 1), 3, 5)]
)
def test_equals_the_built_in(submission, rng, leading, q_len, kv_len):
    """equals F.scaled_dot_product_attention, with any leading dimensions"""
    leading = of_many_dimensions(rng, (*leading, q_len, 11))[:-2]
    sizes = rng.option(11, 1, 200), rng.option(13, 1, 200)
    qkv = inputs(rng, *leading, q_len=q_len, kv_len=kv_len, sizes=sizes)
    assert_close(submission.scaled_dot_product_attention(*qkv), built_in(*qkv))


@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (2, 1, 1, 7), (3, 1, 7), (5, 7), (2, 1, 5, 1)])
def test_mask_broadcasts(submission, rng, shape):
    """keys where the mask is False get no weight, in every shape that broadcasts against the scores"""
    qkv, mask = inputs(rng, 2, 3), rng.mask(*shape)
    assert_close(submission.scaled_dot_product_attention(*qkv, mask), built_in(*qkv, mask))


@pytest.mark.parametrize(
    "leading, shape", [((2,), (5, 7)), ((2,), (1, 1, 7)), ((), (5, 7)), ((), (1, 7)), ((2, 1, 3), (3, 5, 1))]
)
def test_masks_of_other_numbers_of_dimensions(submission, rng, leading, shape):
    """a mask broadcasts with any leading dimensions, and adds none to the result"""
    qkv, mask = inputs(rng, *leading), rng.mask(*shape)
    assert_close(submission.scaled_dot_product_attention(*qkv, mask), built_in(*qkv, mask))


def test_masks_where_sizes_are_equal(submission, rng):
    """with as many sequences as heads and queries, a mask broadcasts from its last dimension on"""
    qkv = inputs(rng, 5, 5)
    masks = [rng.mask(*shape) for shape in [(5, 7), (5, 5, 7), (5, 1, 7), (5, 1, 1, 7)]]
    came = [submission.scaled_dot_product_attention(*qkv, mask) for mask in masks]
    assert_close(came, [built_in(*qkv, mask) for mask in masks])


def test_longer_sequences(submission, rng):
    """up to 259 queries or 263 keys, more than usual blocks take and no multiple, are right to the last"""
    options = [{}, {"mask": rng.mask(67, 71)}, {"is_causal": True}, {}, {}]
    options += [{"mask": rng.mask(1, 3)}, {"mask": rng.mask(3, 1)}]  # of one row, and of one column
    # As many of one side alone: an answer may go through all pairs.
    lengths = [(67, 71), (67, 71), (131, 131), (259, 3), (3, 263), (259, 3), (3, 263)]
    calls = [inputs(rng, 1, q_len=q_len, kv_len=kv_len) for q_len, kv_len in lengths]
    query, key, _ = calls[4]
    key[:, -1] = 3 * query.sum(1)  # the last block has the largest scores
    pairs = list(zip(calls, options, strict=True))
    came = [submission.scaled_dot_product_attention(*qkv, **each) for qkv, each in pairs]
    assert_close(came, [built_in(*qkv, **each) for qkv, each in pairs])
    if is_second_round():
        query, key, value = inputs(rng, 1, q_len=1, kv_len=rng.option(600, 520, 1200))
        key[:, -1] = 3 * query.sum(1)
        for mask in (None, rng.mask(1, key.shape[1])):
            came = submission.scaled_dot_product_attention(query, key, value, mask)
            assert_close(came, built_in(query, key, value, mask))
        length = rng.option(300, 260, 330)
        qkv = inputs(rng, 1, q_len=length, kv_len=length)
        for each in ({"is_causal": True}, {"mask": rng.mask(length, length)}):
            assert_close(submission.scaled_dot_product_attention(*qkv, **each), built_in(*qkv, **each))


@pytest.mark.parametrize("length", [7, 3, 1])
def test_causal(submission, rng, length):
    """is_causal lets query i attend to the keys 0 … i only"""
    qkv = inputs(rng, 2, 3, q_len=length, kv_len=length)
    came = submission.scaled_dot_product_attention(*qkv, is_causal=True)
    assert_close(came, built_in(*qkv, is_causal=True))
    if is_second_round():  # of one head alone
        one = [each[0, 0] for each in qkv]
        came = submission.scaled_dot_product_attention(*one, is_causal=True)
        assert_close(came, built_in(*one, is_causal=True))


@pytest.mark.parametrize("scale", [0.7, 0.0])
def test_scale_is_the_factor(submission, rng, scale):
    """a scale that is given is the factor of the scores, 0.0 too"""
    qkv, mask = inputs(rng, 2), rng.mask(2, 5, 7)
    came = submission.scaled_dot_product_attention(*qkv, mask=mask, scale=scale)
    assert_close(came, built_in(*qkv, mask, scale=scale))
    for scale in other_scales(rng):
        for dtype in (torch.float64, torch.float32):
            own = [tensor.to(dtype) for tensor in qkv]
            came = submission.scaled_dot_product_attention(*own, mask=mask, scale=scale)
            assert_close(came, built_in(*own, mask, scale=scale), tolerance=1e-3)


@pytest.mark.parametrize("scale", [0.7, 0.0])
def test_scale_when_causal(submission, rng, scale):
    """a scale that is given is the factor of the scores with is_causal too, and without any mask"""
    qkv = inputs(rng, 2, q_len=5, kv_len=5)
    options = [{"scale": scale, "is_causal": is_causal} for is_causal in (True, False)]
    came = [submission.scaled_dot_product_attention(*qkv, **each) for each in options]
    assert_close(came, [built_in(*qkv, **each) for each in options])
    for scale in other_scales(rng):
        for is_causal in (True, False):
            came = submission.scaled_dot_product_attention(*qkv, is_causal=is_causal, scale=scale)
            assert_close(came, built_in(*qkv, is_causal=is_causal, scale=scale), tolerance=1e-3)


@pytest.mark.parametrize("masked", [True, False])
def test_gradients(submission, rng, masked):
    """with mask and scale, and without, the gradients of query, key and value equal the built-in's"""
    options = {"mask": rng.mask(3, 5, 7), "scale": rng.option(0.7, 0.01, 0.7)} if masked else {}
    query, key, value = inputs(rng, 2, 3)
    assert_same_gradients(submission.scaled_dot_product_attention, built_in, query, key, value, **options)
    if is_second_round():  # a key alone may be trained as well
        answer, options = submission.scaled_dot_product_attention, {**options, "query": query, "value": value}
        assert_same_gradients(answer, built_in, key=key, constants=options, alone=False)


def test_gradients_when_causal(submission, rng):
    """with is_causal the gradients of query, key and value equal the built-in's"""
    qkv = inputs(rng, 2, q_len=5, kv_len=5)
    assert_same_gradients(submission.scaled_dot_product_attention, built_in, *qkv, is_causal=True)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_dtype_is_kept(submission, rng, dtype):
    """float32 and float16 are kept, with a mask, with is_causal, and without both"""
    qkv = [tensor.to(getattr(torch, dtype)) for tensor in inputs(rng, 2, 3, q_len=7)]
    precise, mask = [tensor.double() for tensor in qkv], rng.mask(2, 1, 7, 7)
    came = submission.scaled_dot_product_attention(*qkv, mask=mask)
    assert_close(came, built_in(*precise, mask).to(qkv[0].dtype))
    for scale in other_scales(rng, high=0.3):
        came = submission.scaled_dot_product_attention(*qkv, scale=scale)
        assert_close(came, built_in(*precise, scale=scale).to(qkv[0].dtype))
    came = submission.scaled_dot_product_attention(*qkv, is_causal=True)
    assert_close(came, built_in(*precise, is_causal=True).to(qkv[0].dtype))
    assert_close(submission.scaled_dot_product_attention(*qkv), built_in(*precise).to(qkv[0].dtype))


def large_inputs(rng):
    """By turns queries score the last key 3000 below all others, like them, and 3000 above: scores are up to
    1500, in the second round up to nearly 2000.
    """
    query, key, value = inputs(rng, 2, 3, q_len=7)
    far = 1.3e3 if is_second_round() else 1e3
    query[..., 0] = 5.0 * (1 - torch.arange(7) % 3)
    key[..., 0], key[..., -1, 0] = far, -far
    return query, key, value


@pytest.mark.parametrize("masked", [True, False])
def test_large_scores_do_not_overflow(submission, rng, masked):
    """scores in the thousands give right values and gradients, also at masked places, and without a mask"""
    qkv, mask = large_inputs(rng), rng.mask(2, 3, 7, 7) if masked else None
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    answer = submission.scaled_dot_product_attention
    assert_same_gradients(answer, built_in, *qkv, mask=mask, tolerance=1e-3)


def test_large_scores_when_causal(submission, rng):
    """with is_causal too large scores give right values, also where those of the future are the largest"""
    qkv = large_inputs(rng)
    came = submission.scaled_dot_product_attention(*qkv, is_causal=True)
    assert_close(came, built_in(*qkv, is_causal=True), tolerance=1e-3)


def test_calls_are_independent(submission, rng):
    """a call does not depend on the masks of the calls before it"""
    qkv, masks = inputs(rng, 2, 3), [rng.mask(2, 3, 5, 7), rng.mask(2, 3, 5, 7), None]
    came = [submission.scaled_dot_product_attention(*qkv, mask=mask) for mask in masks]
    assert_close(came, [built_in(*qkv, mask) for mask in masks])


def test_other_layouts(submission, rng):
    """inputs that are not contiguous are right: heads behind the sequence, transposed"""
    query, key, value = (rng.normal(2, length, 3, 11).transpose(1, 2) for length in (5, 7, 7))
    mask = rng.mask(5, 2, 7).transpose(0, 1)[:, None]  # (2, 1, 5, 7)
    came = submission.scaled_dot_product_attention(query, key, value, mask=mask)
    assert_close(came, built_in(query, key, value, mask))


def test_zeros_are_numbers_like_others(submission, rng):
    """zero vectors, orthogonal queries and keys, and so scores of exactly 0 count like any others"""
    query, key, value = (whole(rng, 2, 3, 5, size, most=1) for size in (11, 11, 13))
    query[:, :, 0], key[:, :, 1], value[:, :, 2] = 0.0, 0.0, 0.0
    options = [{}, {"mask": rng.mask(2, 3, 5, 5)}, {"is_causal": True}]
    came = [submission.scaled_dot_product_attention(query, key, value, **each) for each in options]
    assert_close(came, [built_in(query, key, value, **each) for each in options])
    orthogonal = torch.eye(5, 11).double(), 2 * torch.eye(5, 11).double(), value[0, 0]
    assert_close(submission.scaled_dot_product_attention(*orthogonal), built_in(*orthogonal))


def test_inputs_are_not_modified(submission, rng):
    """query, key, value and mask are not modified"""
    qkv = inputs(rng, 2, 3, q_len=7)
    assert_inputs_unchanged(submission.scaled_dot_product_attention, *qkv, mask=rng.mask(2, 3, 7, 7))
    assert_inputs_unchanged(submission.scaled_dot_product_attention, *qkv, is_causal=True)
    assert_inputs_unchanged(submission.scaled_dot_product_attention, *qkv, scale=0.7)
