"""Checks of `attention_backward`: gradients from stored weights and block by block, memory, work, scores."""

import math

import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_again, assert_at_most, assert_close, assert_fits, assert_inputs_unchanged
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("autograd", "scaled_dot_product_attention", "multi_head_attention")

causal_too = pytest.mark.parametrize("is_causal", [False, True])


def workload(submission, rng):
    inputs = [rng.normal(1, 4, 128, 32, dtype=torch.float32) for _ in range(4)]
    return submission.flash_attention_backward.measure(*inputs, *saved(*inputs[1:]), 32)


LADDER = [
    ("attention_backward", 1, 1, 1, False),
    ("attention_backward", 2, 1, 1, False),
    ("attention_backward", 2, 2, 1, False),
    ("flash_attention_backward", 1, 1, 1, False),
    ("flash_attention_backward", 2, 1, 1, False),
    ("flash_attention_backward", 2, 2, 2, True),
    ("flash_attention_backward", 3, 2, 2, True),
]


def smallest(submission, rng, name, seq, head_dim, block_size, is_causal):
    """small whole numbers give what autograd gives"""
    inputs = [whole(rng, 1, 1, seq, head_dim) for _ in range(4)]
    if name == "attention_backward":
        came = submission.attention_backward(*inputs, softmax_of(*inputs[1:3]))
    else:
        came = submission.flash_attention_backward(
            *inputs, *saved(*inputs[1:], is_causal=is_causal), block_size, is_causal
        )
    assert_close(came, by_autograd(*inputs, is_causal=is_causal))


def drawn(rng, q_len, kv_len, *, batch=2, heads=3, head_dim=5, value_dim=None, dtype=torch.float64):
    """grad_output, query, key and value."""
    value_dim = value_dim or head_dim
    sizes = (q_len, value_dim), (q_len, head_dim), (kv_len, head_dim), (kv_len, value_dim)
    return [rng.normal(batch, heads, *size, dtype=dtype) for size in sizes]


def scores_of(query, key, mask=None, is_causal=False):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if is_causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores if mask is None else scores.masked_fill(~mask, -torch.inf)


def softmax_of(query, key, mask=None):
    return scores_of(query, key, mask).softmax(-1)


def saved(query, key, value, is_causal=False):
    """What forward saves: its output and the logsumexp of each query."""
    scores = scores_of(query, key, is_causal=is_causal)
    return [scores.softmax(-1) @ value, scores.logsumexp(-1)]


def by_autograd(grad_output, query, key, value, mask=None, is_causal=False):
    leaves = [one.detach().clone().requires_grad_() for one in (query, key, value)]
    result = F.scaled_dot_product_attention(*leaves, attn_mask=mask, is_causal=is_causal)
    return torch.autograd.grad(result, leaves, grad_output)


def assert_flash(submission, inputs, block_size, is_causal=False, tolerance=None):
    arguments = [*inputs, *saved(*inputs[1:], is_causal=is_causal)]
    came = submission.flash_attention_backward(*arguments, block_size=block_size, is_causal=is_causal)
    assert_close(came, by_autograd(*inputs, is_causal=is_causal), tolerance=tolerance)


@pytest.mark.parametrize(
    "q_len, kv_len, value_dim",
    [(7, 11, 5), (11, 7, 3), (7, 5, 13), (1, 3, 2), (4, 1, 5), (139, 131, 2), (3, 3001, 2)],
)
def test_equals_autograd(submission, rng, q_len, kv_len, value_dim):
    """attention_backward equals autograd, whatever the sizes"""
    inputs = drawn(rng, q_len, kv_len, value_dim=value_dim)
    came = submission.attention_backward(*inputs, softmax_of(*inputs[1:3]))
    assert_close(came, by_autograd(*inputs))


def test_masked_weights(submission, rng):
    """attention_backward takes weights that are exactly 0 where they were masked"""
    inputs, mask = drawn(rng, 7, 11), rng.mask(2, 3, 7, 11)
    mask[:, 0, 0] = torch.arange(11) == 4  # a query with one key
    came = submission.attention_backward(*inputs, softmax_of(*inputs[1:3], mask))
    assert_close(came, by_autograd(*inputs, mask=mask))


def test_weights_are_used(submission, rng):
    """attention_backward uses the weights that are given: it does not compute them again"""
    inputs = drawn(rng, 5, 7)
    far = [inputs[0], inputs[1] * 400.0, *inputs[2:]]
    came = submission.attention_backward(*far, softmax_of(*far[1:3]))
    assert_close(came, by_autograd(*far))


@pytest.mark.parametrize(
    "q_len, kv_len, block_size",
    [(12, 12, 4), (13, 13, 4), (7, 11, 3), (11, 7, 3), (1, 9, 4), (5, 3, 1), (5, 6, 8)],
)
def test_blocks_equal_autograd(submission, rng, q_len, kv_len, block_size):
    """flash_attention_backward equals autograd, whatever the lengths and the block size"""
    assert_flash(submission, drawn(rng, q_len, kv_len), block_size)


@pytest.mark.parametrize("seq, block_size", [(12, 4), (13, 4), (5, 1), (5, 8), (1, 2)])
def test_causal(submission, rng, seq, block_size):
    """with is_causal it equals autograd through causal attention"""
    assert_flash(submission, drawn(rng, seq, seq), block_size, is_causal=True)


@causal_too
def test_default_block_size(submission, rng, is_causal):
    """without block_size, 67 tokens are right"""
    inputs = drawn(rng, 67, 67, batch=1, heads=2)
    arguments = [*inputs, *saved(*inputs[1:], is_causal=is_causal)]
    came = submission.flash_attention_backward(*arguments, is_causal=is_causal)
    assert_close(came, by_autograd(*inputs, is_causal=is_causal))


@causal_too
def test_large_scores(submission, rng, is_causal):
    """scores of ±1e3 give finite, right gradients, those of later keys included"""
    inputs = drawn(rng, 12, 12)
    _, query, key, _ = inputs
    # Feature 0 gives each key a level, which rises and falls inside the blocks too.
    query[..., 0], key[..., 0] = 5**0.5, torch.tensor([-1e3, 0.0, 1e3, -1e3, 1e3, 0.0] * 2)
    assert_flash(submission, inputs, 4, is_causal, tolerance=1e-5)
    if is_second_round():  # in heads of 128 features, of which some score all keys low, and others high
        wide = [F.pad(each, (0, 123)) for each in inputs]
        signs = torch.tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]])[:, :, None]
        wide[1][..., 0], wide[2][..., 0] = 128**0.5, 1e3 * signs
        for each in (False, True):
            assert_flash(submission, wide, 4, each, tolerance=1e-5)


def called(answer, arguments, block_size, is_causal):
    return answer.flash_attention_backward(*arguments, block_size, is_causal)


# With 18 all weights are some 1e-8, as those of many keys are: small, and still to be counted. With -3 some
# are above 1.
@pytest.mark.parametrize("raised", [0.7, 18.0, -3.0])
@causal_too
def test_saved_tensors_are_used(submission, rng, is_causal, raised):
    """output and logsumexp are used as they are given, also others than forward's"""
    inputs = drawn(rng, 7, 7)
    grad_output, query, key, value = inputs
    grad_output *= math.exp(raised)
    output, logsumexp = rng.normal(2, 3, 7, 5), saved(*inputs[1:], is_causal=is_causal)[1] + raised
    came = submission.flash_attention_backward(*inputs, output, logsumexp, 3, is_causal)
    weights = (scores_of(query, key, is_causal=is_causal) - logsumexp.unsqueeze(-1)).exp()
    wanted = weights * (grad_output @ value.mT - (grad_output * output).sum(-1, keepdim=True)) / 5**0.5
    assert_close(came, (wanted @ key, wanted.mT @ query, weights.mT @ grad_output))


def test_float32_is_kept(submission, rng):
    """both keep float32"""
    inputs = drawn(rng, 13, 13, dtype=torch.float32)
    came = submission.attention_backward(*inputs, softmax_of(*inputs[1:3]))
    assert_close(came, by_autograd(*inputs))
    assert_flash(submission, inputs, 4, is_causal=True)


def test_other_layouts(submission, rng):
    """arguments that are not contiguous are right"""
    inputs = [rng.normal(2, 7, 3, 5).transpose(1, 2) for _ in range(4)]
    inputs[0] = rng.normal(2, 1, 1, 5).expand(2, 3, 7, 5)
    came = submission.attention_backward(*inputs, softmax_of(*inputs[1:3]).mT.contiguous().mT)
    assert_close(came, by_autograd(*inputs))
    assert_flash(submission, inputs, 3, is_causal=True)


@pytest.mark.parametrize("batch, heads, head_dim", [(1, 1, 5), (2, 3, 1)])
def test_small_sizes(submission, rng, batch, heads, head_dim):
    """a batch of one with a single head, and heads of one feature, are right"""
    inputs = drawn(rng, 7, 7, batch=batch, heads=heads, head_dim=head_dim)
    came = submission.attention_backward(*inputs, softmax_of(*inputs[1:3]))
    assert_close(came, by_autograd(*inputs))
    assert_flash(submission, inputs, 3, is_causal=True)


@pytest.mark.parametrize(
    "q_len, kv_len, block_size, head_dim, is_causal",
    [(80, 80, 16, 5, False), (32, 96, 16, 5, False), (84, 84, 12, 17, True), (30, 30, 2, 3, True)],
)
def test_no_large_tensor(submission, rng, q_len, kv_len, block_size, head_dim, is_causal):
    """no operation makes a tensor larger than batch * heads * longest length * max(block_size, head_dim)"""
    inputs = drawn(rng, q_len, kv_len, batch=1, head_dim=head_dim)
    arguments = [*inputs, *saved(*inputs[1:], is_causal=is_causal)]
    measured = submission.flash_attention_backward.measure(*arguments, block_size, is_causal)
    cause = (
        "So memory grows with the square of the length, which is what this method avoids. Usual causes are "
        "the whole matrix of scores or of weights, made first and then read in blocks, or a mask of "
        "q_len x kv_len. Go from one block's scores to its three products, and forget it"
    )
    limit = 3 * max(q_len, kv_len) * max(block_size, head_dim)
    what = f"elements of the largest tensor made (all scores are {3 * q_len * kv_len:,})"
    assert_at_most(measured.largest_tensor, limit, what, cause=cause)
    if is_second_round():  # forward too takes a while at this length
        assert_fits_at_length(submission, [rng.normal(1, 1, 2048, 8, dtype=torch.float32) for _ in range(4)])
    assert_close(measured.value, by_autograd(*inputs, is_causal=is_causal))


def assert_fits_at_length(submission, long):
    """Their scores would take 16 MiB, a row of blocks takes 1, and some of them are there at a time."""
    arguments = [*long, *saved(*long[1:])]
    answer = {"expected": lambda: by_autograd(*long), "memory": 12 * 2**20}
    assert_fits(submission, called, arguments, 128, False, **answer)


def test_few_products(submission, rng):
    """attention_backward takes the FLOPs of at most 4.3 matrix products"""
    inputs = drawn(rng, 16, 24, head_dim=16)
    measured = submission.attention_backward.measure(*inputs, softmax_of(*inputs[1:3]))
    products = measured.matmul_flops / (2 * 6 * 16 * 24 * 16)
    cause = "Four are enough: one for each gradient, and one for that of the weights"
    assert_close(measured.value, by_autograd(*inputs))
    assert_at_most(products, 4.3, "matrix products", cause=cause)


@causal_too
def test_few_products_in_blocks(submission, rng, is_causal):
    """flash_attention_backward takes the FLOPs of at most 5.3 matrix products"""
    inputs = drawn(rng, 32, 32, head_dim=16)
    arguments = [*inputs, *saved(*inputs[1:], is_causal=is_causal)]
    measured = submission.flash_attention_backward.measure(*arguments, 8, is_causal)
    products = measured.matmul_flops / (2 * 6 * 32 * 32 * 16)
    cause = (
        "Five are enough: the scores again, one for each gradient, and one for that of the weights. "
        "A usual cause is a second loop that computes the scores once more"
    )
    assert_close(measured.value, by_autograd(*inputs, is_causal=is_causal))
    assert_at_most(products, 5.3, "matrix products", cause=cause)


def test_causal_skips_blocks(submission, rng):
    """with is_causal, 16 blocks take at most 0.7 of the FLOPs that they take without"""
    inputs = drawn(rng, 64, 64, batch=1, heads=2)
    first = [each[:, :, :16] for each in inputs]
    arguments = [[*inputs, *saved(*inputs[1:], is_causal=causal), 4, causal] for causal in (True, False)]
    measured = submission.flash_attention_backward.measure(*arguments[0])
    # Work without grows with the square of the length: that of a quarter tells it in a sixteenth of the time.
    quarter = submission.flash_attention_backward.measure(*first, *saved(*first[1:]), 4)
    # Without matrix products it is the elements that tell.
    causal, full = measured.matmul_flops or measured.elements, quarter.matmul_flops or quarter.elements
    cause = (
        "So blocks are computed to be masked. Leave out those whose first key comes after their last query"
    )
    what = "work with is_causal, as a share of the work without"
    assert_close(measured.value, by_autograd(*inputs, is_causal=True))
    assert_close(submission.flash_attention_backward(*arguments[1]), by_autograd(*inputs))
    assert_at_most(causal / max(16 * full, 1), 0.7, what, cause=cause)
    # Who computes with the later half of the values for a query of the first quarter has skipped nothing.
    grad_output, query, key, value = inputs
    late = value.index_fill(2, torch.arange(32, 64), torch.nan)
    kept = saved(*inputs[1:], is_causal=True)
    assert_again(
        lambda: submission.flash_attention_backward(grad_output, query, key, late, *kept, 4, True)[0][
            :, :, :16
        ],
        lambda: by_autograd(*inputs, is_causal=True)[0][:, :, :16],
        what="with NaN in the values of later blocks, in the gradients of the queries before them",
    )


def test_arguments_are_not_modified(submission, rng):
    """no argument is written to"""
    inputs = drawn(rng, 7, 7)
    assert_inputs_unchanged(submission.attention_backward, *inputs, softmax_of(*inputs[1:3]))
    arguments = [*inputs, *saved(*inputs[1:], is_causal=True)]
    assert_inputs_unchanged(submission.flash_attention_backward, *arguments, block_size=3, is_causal=True)


def test_device(submission, rng):
    """nothing is made on the default device where that is another one"""
    inputs = drawn(rng, 7, 7)
    assert_keeps_device(submission, "attention_backward", *inputs, softmax_of(*inputs[1:3]))
    arguments = [*inputs, *saved(*inputs[1:], is_causal=True)]
    assert_keeps_device(submission, "flash_attention_backward", *arguments, 3, True)
    if is_second_round():
        arguments = [*inputs, *saved(*inputs[1:])]
        assert_keeps_device(submission, "flash_attention_backward", *arguments, 3)
